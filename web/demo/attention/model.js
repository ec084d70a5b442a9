// A head of the translation model in the playground: the queries, keys and values that it had for a sentence.

import { make } from '../shared/dom.js';
import { ownModels } from '../shared/own-models.js';
import { stateOfHead } from './taken.js';

/** @typedef {import('./state.js').State} State */

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
      const trace = await (await translator).trace(text.value, { vectors: true });
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
    make('button', {}, 'Take this head'),
  );
  form.addEventListener('submit', (/** @type {Event} */ event) => {
    event.preventDefault();
    take();
  });
  host.append(
    make(
      'p.caption',
      {},
      'A sentence is translated, and one head’s own queries, keys and values are brought here, to three decimals. Point at a weight to see the product that made it; then try another score, a temperature, a window, or a hard selection.',
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
    model: ownModels.fr,
    monitor: (/** @type {EventTarget} */ progress) =>
      progress.addEventListener('downloadprogress', (event) => loaded(/** @type {any} */ (event).loaded)),
  });
}

/** @param {string[][]} choices */
const picker = (choices) => make('select', {}, ...choices.map(([value, name]) => make('option', { value }, name)));
