// Opens a head of the translation model in the playground, with its queries, keys and values for a sentence.

import { make } from '../shared/dom.js';
import { ownModels } from '../shared/own-models.js';
import { stateOfHead } from './head-state.js';
import { texts } from './texts.js';

/** @typedef {import('./state.js').State} State */

const kFirst = 'I love my little brother.';

/** @param {HTMLElement} host @param {(patch: Partial<State>) => void} open */
export function bindModel(host, open) {
  // The fields.
  const text = make('input', { type: 'text', value: kFirst, maxLength: 200, lang: 'en', autocomplete: 'off' });
  const kind = picker(Object.entries(texts.model.kinds));
  const layer = make('input', { type: 'number', min: 1, max: 6, value: 2 });
  const head = make('input', { type: 'number', min: 1, max: 8, value: 1 });
  const message = make('p.caption', { role: 'status' });
  const labelled = (/** @type {string} */ name, /** @type {HTMLElement} */ field) =>
    make('label', {}, make('span', {}, name), field);
  /** Loaded when it is first needed. @type {Promise<import('../../lib/index.js').Translator> | null} */
  let translator = null;

  // Translates the sentence, and opens the head.
  async function take() {
    message.textContent = texts.model.loading;
    try {
      translator ??= load((share) => (message.textContent = texts.model.loadingShare(Math.round(100 * share))));
      const trace = await (await translator).trace(text.value, { vectors: true });
      const place = { layer: Number(layer.value) - 1, head: Number(head.value) - 1 };
      open(stateOfHead(trace, kind.value, place));
      message.textContent = texts.model.taken(
        text.value,
        trace.target.text,
        texts.model.kinds[/** @type {keyof typeof texts.model.kinds} */ (kind.value)],
        place.layer + 1,
        place.head + 1,
      );
    } catch (error) {
      translator?.catch(() => (translator = null)); // after a failure the next try loads it again
      message.textContent = /** @type {Error} */ (error).message;
    }
  }
  const form = make(
    'form.take',
    {},
    labelled(texts.model.sentence, text),
    labelled(texts.model.attention, kind),
    labelled(texts.model.layer, layer),
    labelled(texts.model.head, head),
    make('button', {}, texts.model.take),
  );
  form.addEventListener('submit', (/** @type {Event} */ event) => {
    event.preventDefault();
    take();
  });
  host.append(make('p.caption', {}, texts.model.about), form, message);
}

/** @param {(share: number) => void} loaded */
async function load(loaded) {
  const { Translator } = await import('../../lib/index.js');
  return Translator.create({
    sourceLanguage: 'en',
    targetLanguage: 'fr',
    model: ownModels['en-fr'],
    monitor: (/** @type {EventTarget} */ progress) =>
      progress.addEventListener('downloadprogress', (event) => loaded(/** @type {any} */ (event).loaded)),
  });
}

/** @param {string[][]} choices */
const picker = (choices) => make('select', {}, ...choices.map(([value, name]) => make('option', { value }, name)));
