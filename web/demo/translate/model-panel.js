// The numbers that a part of the model computed for the sentence in view.

import { alternativesAt, formatWeight, sliceOf } from '../../view/index.js';
import { headsOf, labelsOf, writtenOf } from '../../view/trace.js';
import { make } from '../shared/dom.js';
import { kGates } from '../shared/words.js';

/** @typedef {import('./model-parts.js').Part} Part */
/** @typedef {import('../../view/trace.js').Side} Side */
/** @typedef {import('../../view/trace.js').Trace & {model?: import('./model-parts.js').Model}} Trace */
/** @typedef {import('../../view/selection.js').Selection} Selection */

/**
 * @typedef {object} Context
 * @property {Trace} trace
 * @property {boolean} isRecurrent
 * @property {Selection} selection that all views share
 * @property {number | null} written how many target pieces are written; null: all
 * @property {(() => void) | null} look shows the head in the card of attention; null: not possible
 * @property {((message: HTMLElement) => void) | null} without translates without the part; null: not possible
 */

/** @param {Part} part @param {Context} context @returns {Node[]} */
export function panelOf(part, context) {
  const parts = { attention, embedding, feedForward, recurrent, memory, output };
  return parts[part.type](part, context);
}

/** @param {string} title @param {string} small @param {...string} paragraphs */
const told = (title, small, ...paragraphs) => [
  make('h3', {}, title, ' ', make('small', {}, small)),
  ...paragraphs.map((text) => make('p.caption', {}, text)),
];

/** @param {Trace} trace */
const widthOf = ({ model }) => (model?.dModel ? `${model.dModel} numbers` : 'numbers');

const kAttention = {
  cross: 'Each target piece reads the vectors that the encoder handed on, as much of each as its cell says.',
  encoderSelf: 'Each source piece reads all source pieces of the layer below, as much of each as its cell says.',
  decoderSelf: 'Each target piece reads the ones before it, as much of each as its cell says.',
};

/** @param {Part} part @param {Context} context */
function attention({ kind, layer, head = 0, gates }, { trace, isRecurrent, selection, written, look }) {
  const which = /** @type {'cross' | 'encoderSelf' | 'decoderSelf'} */ (kind);
  const whole = /** @type {import('../../view/trace.js').Slice} */ (sliceOf(trace, { kind: which, layer, head }));
  const matrix = /** @type {import('../../view/matrix.js').MatrixElement} */ (make('qkv-matrix'));
  matrix.selection = selection;
  matrix.slice = writtenOf(whole, written);
  const names = {
    cross: 'Cross attention',
    encoderSelf: 'Encoder self-attention',
    decoderSelf: 'Decoder self-attention',
  };
  const title = gates ? 'Forget gates of the decoder' : names[which];
  const place = gates ? `layer ${layer + 1}` : `layer ${layer + 1}, head ${head + 1} of ${heads(trace, which)}`;
  const how = isRecurrent && which === 'cross' ? [kRecurrentCross] : [];
  const button = make('button', { type: 'button' }, 'Show it in the card above');
  button.addEventListener('click', () => look?.());
  return [...told(title, place, gates ? kGates.caption : kAttention[which], ...how), matrix, ...(look ? [button] : [])];
}

const kRecurrentCross =
  'Bahdanau’s decoder attends before it makes its new state, Luong’s after it: the trace does not say which this one is.';

/** @param {Trace} trace @param {'cross' | 'encoderSelf' | 'decoderSelf'} kind */
const heads = (trace, kind) => headsOf({ ...trace, gates: null }, kind)[1];

/** @param {Part} part @param {Context} context */
function embedding({ side }, { trace, isRecurrent }) {
  // A row for each step: the piece, its probability, and the two likeliest others.
  const rows = trace.model?.vocabularySize;
  const table = rows ? `a table of ${rows.toLocaleString('en')} rows of ${widthOf(trace)}` : 'a table';
  const place = isRecurrent
    ? 'Order needs nothing more: states follow one another.'
    : 'Its place in the sentence is added to it.';
  const isSource = side === 'encoder';
  const read = isSource ? /** @type {Side} */ (trace.source) : inputOf(trace);
  const what = isSource ? 'Each source piece' : 'The decoder reads what it wrote so far, one step behind. Each piece';
  return [
    ...told('Embedding', isSource ? 'of the source' : 'of the target', `${what} is a row of ${table}. ${place}`),
    lookedUp(read),
  ];
}

/** The decoder's input: the start, then the target without its last piece. @param {Trace} trace @returns {Pick<Side, 'ids'> & {labels: import('../../view/trace.js').Label[]}} */
function inputOf({ target, targetInput }) {
  const side = /** @type {Side} */ (target);
  const labels = labelsOf(side);
  if (!targetInput) return { labels, ids: side.ids };
  const start = { text: targetInput[0], word: true, special: true };
  return { labels: [start, ...labels.slice(0, -1)], ids: side.ids && [NaN, ...Array.from(side.ids).slice(0, -1)] };
}

/** Pieces with the rows of the table that they are. @param {Side | ReturnType<typeof inputOf>} side */
function lookedUp(side) {
  const labels = 'text' in side ? labelsOf(side) : side.labels;
  const items = labels.map(({ text }, i) => {
    const row = side.ids?.[i];
    return make('li', {}, make('b', {}, text), Number.isInteger(row) ? ` row ${row}` : '');
  });
  return make('ol.rows', {}, ...items);
}

/** @param {Part} part @param {Context} context */
function feedForward({ side, layer }, { trace, without }) {
  const message = make('div.without', { 'aria-live': 'polite' });
  const button = make('button', { type: 'button' }, 'Translate without it');
  button.addEventListener('click', () => without?.(message));
  return [
    ...told(
      'Feed-forward',
      `${side}, layer ${layer + 1}`,
      `Two layers of neurons, W₂ f(W₁x + b₁) + b₂, the same at each place: here nothing is read from other pieces. Each of the ${places(trace, side)} vectors of ${widthOf(trace)} is computed by itself.`,
    ),
    ...(without
      ? [make('p.caption', {}, 'What it adds to this sentence shows when it is switched off.'), button, message]
      : []),
  ];
}

/** @param {Trace} trace @param {Part['side']} side */
const places = ({ source, target }, side) => (side === 'encoder' ? source : target)?.pieces.length ?? 0;

/** @param {Part} part @param {Context} context */
function recurrent({ side, layer }, { trace }) {
  const does =
    side === 'encoder'
      ? 'It reads one piece after the other. Each state is made from the piece and the state before it, so a word reaches a later one only through all between.'
      : 'It writes one piece after the other. Each state is made from the piece before and the state before.';
  return told(
    'Recurrent',
    `${side}, layer ${layer + 1}`,
    does,
    `For this sentence: ${places(trace, side)} states, one after the other. The trace does not keep their numbers.`,
  );
}

/** @param {Part} _ @param {Context} context */
function memory(_, { trace }) {
  const pieces = places(trace, 'encoder');
  const attends = headsOf(trace, 'cross')[0] > 0;
  return told(
    'What is handed on',
    'from the encoder to the decoder',
    attends
      ? `${pieces} vectors of ${widthOf(trace)}, one for each source piece. Each cross attention reads all of them at every step.`
      : `One vector, whatever the length of the sentence: this model has no attention. All ${pieces} pieces have to fit into it.`,
  );
}

/** @param {Part} _ @param {Context} context */
function output(_, { trace, written }) {
  const rows = trace.model?.vocabularySize;
  const labels = labelsOf(trace.target).slice(0, written ?? undefined);
  const steps = labels.map(({ text }, i) => {
    const others = alternativesAt(trace, i).filter((other) => !other.written);
    const logProb = trace.target?.logProbs?.[i];
    return make(
      'tr',
      {},
      make('th', { scope: 'row' }, text),
      make('td', {}, logProb === undefined ? '' : formatWeight(Math.exp(logProb))),
      make(
        'td',
        {},
        others
          .slice(0, 2)
          .map(({ label, probability }) => `${label.text} ${formatWeight(probability)}`)
          .join(' · '),
      ),
    );
  });
  // The table with its heading.
  const head = make('tr', {}, ...['written', 'p', 'or else'].map((name) => make('th', { scope: 'col' }, name)));
  const all = rows ? `all ${rows.toLocaleString('en')} pieces of the vocabulary` : 'all pieces of the vocabulary';
  return [
    ...told(
      'Output',
      'one step a row',
      `The last vector of a step gives a probability to ${all}. A click on a word of the translation chooses another.`,
    ),
    make('table', {}, make('thead', {}, head), make('tbody', {}, ...steps)),
  ];
}
