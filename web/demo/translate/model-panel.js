// The panel of a part of the model: the numbers that the part computed for the sentence in view.

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
 * @property {Selection} selection the selection that all views share
 * @property {number | null} written how many target pieces are written; null: all
 * @property {(() => void) | null} look shows the head in the attention card; null: not possible
 * @property {((message: HTMLElement) => void) | null} without translates without the part; null: not possible
 */

/** @param {Part} part @param {Context} context @returns {Node[]} */
export function panelOf(part, context) {
  const parts = { attention, embedding, feedForward, recurrent, memory, output };
  return parts[part.type](part, context);
}

/** A heading with paragraphs. @param {string} title @param {string} small @param {...string} paragraphs */
const described = (title, small, ...paragraphs) => [
  make('h3', {}, title, ' ', make('small', {}, small)),
  ...paragraphs.map((text) => make('p.caption', {}, text)),
];

/** @param {Trace} trace */
const widthOf = ({ model }) => (model?.dModel ? `${model.dModel} numbers` : 'numbers');

const kAttention = {
  cross: 'Each target piece reads the output vectors of the encoder. A cell says how much of each it reads.',
  encoderSelf: 'Each source piece reads all source pieces of the layer below. A cell says how much of each it reads.',
  decoderSelf: 'Each target piece reads the pieces before it. A cell says how much of each it reads.',
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
  return [
    ...described(title, place, gates ? kGates.caption : kAttention[which], ...how),
    matrix,
    ...(look ? [button] : []),
  ];
}

const kRecurrentCross =
  'Bahdanau’s decoder attends before it computes its new state, Luong’s after it. The trace does not say which this one is.';

/** @param {Trace} trace @param {'cross' | 'encoderSelf' | 'decoderSelf'} kind */
const heads = (trace, kind) => headsOf({ ...trace, gates: null }, kind)[1];

/** @param {Part} part @param {Context} context */
function embedding({ side }, { trace, isRecurrent }) {
  const rows = trace.model?.vocabularySize;
  const table = rows ? `a table of ${rows.toLocaleString('en')} rows of ${widthOf(trace)}` : 'a table';
  const place = isRecurrent
    ? 'Its position needs no vector, because states follow one another.'
    : 'A vector for its position in the sentence is added.';
  const isSource = side === 'encoder';
  const read = isSource ? /** @type {Side} */ (trace.source) : inputOf(trace);
  const what = isSource
    ? 'Each source piece'
    : 'At each step the decoder reads the piece that it wrote last. Each piece';
  return [
    ...described('Embedding', isSource ? 'of the source' : 'of the target', `${what} is a row of ${table}. ${place}`),
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

/** Pieces with their rows in the table. @param {Side | ReturnType<typeof inputOf>} side */
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
    ...described(
      'Feed-forward',
      `${side}, layer ${layer + 1}`,
      `Two layers of neurons, W₂ f(W₁x + b₁) + b₂, the same at each position. Each of the ${places(trace, side)} vectors of ${widthOf(trace)} is computed by itself: nothing is read from other pieces.`,
    ),
    ...(without
      ? [make('p.caption', {}, 'To see what it does for this sentence, switch it off.'), button, message]
      : []),
  ];
}

/** @param {Trace} trace @param {Part['side']} side */
const places = ({ source, target }, side) => (side === 'encoder' ? source : target)?.pieces.length ?? 0;

/** @param {Part} part @param {Context} context */
function recurrent({ side, layer }, { trace }) {
  const does =
    side === 'encoder'
      ? 'It reads one piece after the other. Each state is computed from the piece and the previous state. So a word reaches a later word only through all states between them.'
      : 'It writes one piece after the other. Each state is computed from the previous piece and the previous state.';
  return described(
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
  return described(
    'Encoder output',
    'from the encoder to the decoder',
    attends
      ? `${pieces} vectors of ${widthOf(trace)}, one for each source piece. Each cross attention reads all of them at every step.`
      : `One vector for a sentence of any length, because this model has no attention. All ${pieces} pieces have to fit into it.`,
  );
}

/** @param {Part} _ @param {Context} context */
function output(_, { trace, written }) {
  // A row for each step: the piece, its probability, and the two likeliest alternatives.
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
    ...described(
      'Output',
      'one step a row',
      `The last vector of a step gives a probability to ${all}. A click on a word of the translation chooses another.`,
    ),
    make('table', {}, make('thead', {}, head), make('tbody', {}, ...steps)),
  ];
}
