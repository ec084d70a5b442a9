// A head of the translation model in the playground. Its trace holds the weights, not the queries and keys that they were
// made from: so queries and keys are zeros, and the bias holds the scores that make these weights, ln a.

import { sliceOf } from '../../view/trace.js';
import { make } from './dom.js';
import { identity } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('../../lib/index.js').Trace} Trace */

const kMostPieces = 16;
const kFirst = 'I love my little brother.';
const kKinds = { cross: 'cross-attention', encoderSelf: 'encoder', decoderSelf: 'decoder' };

/** @param {HTMLElement} host @param {(patch: Partial<State>) => void} open */
export function bindModel(host, open) {
  const text = make('input', { type: 'text', value: kFirst, maxLength: 200, lang: 'en', autocomplete: 'off' });
  const kind = picker(Object.entries(kKinds));
  const layer = make('input', { type: 'number', min: 1, max: 6, value: 2 });
  const head = make('input', { type: 'number', min: 1, max: 8, value: 1 });
  const said = make('p.caption', { role: 'status' });
  const labelled = (/** @type {string} */ name, /** @type {HTMLElement} */ field) =>
    make('label', {}, make('span', {}, name), field);
  /** @type {Promise<import('../../lib/index.js').Translator> | null} */
  let translator = null;

  async function take() {
    said.textContent = 'Loading the model…';
    try {
      translator ??= load((share) => (said.textContent = `Loading the model, ${Math.round(100 * share)} %`));
      const trace = await (await translator).trace(text.value);
      const place = { layer: Number(layer.value) - 1, head: Number(head.value) - 1 };
      open(stateOfHead(trace, kind.value, place));
      said.textContent = `“${text.value}” became “${trace.target.text}”. The playground has ${kKinds[/** @type {keyof typeof kKinds} */ (kind.value)]}, layer ${place.layer + 1}, head ${place.head + 1}.`;
    } catch (error) {
      translator?.catch(() => (translator = null)); // one that did not load is loaded again
      said.textContent = /** @type {Error} */ (error).message;
    }
  }
  const form = make(
    'form.take',
    {},
    labelled('Sentence', text),
    labelled('Attention', kind),
    labelled('Layer', layer),
    labelled('Head', head),
    make('button', {}, 'Take its scores'),
  );
  form.addEventListener('submit', (/** @type {Event} */ event) => {
    event.preventDefault();
    take();
  });
  host.append(
    make(
      'p.caption',
      {},
      'The model’s trace holds every weight of every head, not the queries and keys behind them. The playground gets what makes these weights: no product, and a bias of ln(weight). Try another temperature, a window, or a hard selection on them.',
    ),
    form,
    said,
  );
}

/** @param {(share: number) => void} loaded */
async function load(loaded) {
  const { Translator } = await import('../../lib/index.js');
  return Translator.create({
    sourceLanguage: 'en',
    targetLanguage: 'fr',
    monitor: (/** @type {EventTarget} */ progress) =>
      progress.addEventListener('downloadprogress', (event) => loaded(/** @type {any} */ (event).loaded)),
  });
}

/** @param {string[][]} choices */
const picker = (choices) => make('select', {}, ...choices.map(([value, name]) => make('option', { value }, name)));

/**
 * @param {Trace} trace
 * @param {string} kind
 * @param {{layer: number, head: number}} place
 * @returns {Partial<State>}
 */
export function stateOfHead(trace, kind, place) {
  const slice = sliceOf(/** @type {any} */ (trace), { kind: /** @type {any} */ (kind), ...place });
  if (!slice) throw new Error('The model has no such attention.');
  const [queries, keys] = [slice.queries.length, slice.keys.length];
  if (Math.max(queries, keys) > kMostPieces)
    throw new Error(
      `That is ${Math.max(queries, keys)} pieces, and the playground shows ${kMostPieces} at most: take a shorter sentence.`,
    );
  const name = (/** @type {{text: string}} */ { text }) => text.replaceAll('|', '¦');
  const score = (/** @type {number} */ weight) =>
    weight > 0 ? Math.round(100 * Math.log(weight)) / 100 + 0 : -Infinity;
  return {
    query: Array.from({ length: queries }, () => [0]),
    key: Array.from({ length: keys }, () => [0]),
    value: identity(keys),
    score: 'dot',
    bias: Array.from({ length: queries }, (_, i) =>
      Array.from(slice.weights.subarray(i * keys, (i + 1) * keys), score),
    ),
    queryNames: slice.queries.map(name),
    keyNames: slice.keys.map(name),
  };
}
