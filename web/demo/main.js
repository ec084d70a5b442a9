// The Translate page: text in, translation out, and what each head looked at.

import { Translator } from '../lib/index.js';
import { splitSentences } from '../lib/sentences.js';
import { kExamples, kFirst } from './examples.js';
import { Explorer } from './explorer.js';
import { LatestRun } from './latest.js';
import { statusLine } from './status.js';
import { bindTheme } from './theme.js';

/** @typedef {{text: string, trace: any | null}} Translated */

const kTypingPause = 150;
const kRemembered = 200;

const find = (/** @type {string} */ query) => /** @type {any} */ (document.querySelector(query));
const source = /** @type {HTMLTextAreaElement} */ (find('#source'));
const target = /** @type {HTMLOutputElement} */ (find('#target'));
const which = /** @type {HTMLElement} */ (find('#which'));
const query = new URLSearchParams(location.search);

const status = statusLine(document);
const explorer = new Explorer(document);
/** @type {any} */
let translator = null;
/** @type {Map<string, Translated>} */
const memory = new Map();
/** @type {string | null} */
let shown = null;
/** The sentence chosen by a click on its translation, until the caret or the text moves. */
let clicked = -1;

const run = new LatestRun(translateText, (error) => {
  target.removeAttribute('aria-busy');
  status.failed(error, () => run.request());
});

async function load() {
  status.loading(0);
  try {
    translator = await Translator.create({
      sourceLanguage: 'en',
      targetLanguage: 'fr',
      ...(query.has('engine') && { wasm: query.get('engine') }),
      ...(query.has('model') && { model: query.get('model') }),
      monitor: (/** @type {EventTarget} */ progress) =>
        progress.addEventListener('downloadprogress', (event) => status.loading(/** @type {any} */ (event).loaded)),
    });
    status.ready(about());
    run.request();
  } catch (error) {
    status.failed(error, load);
  }
}

/** @param {AbortSignal} signal */
async function translateText(signal) {
  if (!translator) return;
  const parts = splitSentences(source.value, 'en');
  const sentences = parts.filter((part) => part.sentence).map((part) => part.text);
  const active = activeSentence(parts);
  target.setAttribute('aria-busy', 'true');
  const begin = performance.now();
  for (const [i, sentence] of sentences.entries()) {
    if (i !== active && !memory.has(sentence))
      remember(sentence, { text: await translator.translate(sentence, { signal }), trace: null });
    if (i === active && !memory.get(sentence)?.trace) {
      const trace = await translator.trace(sentence, { signal });
      remember(sentence, { text: trace.target.text, trace });
    }
    signal.throwIfAborted();
  }
  const took = performance.now() - begin;
  target.removeAttribute('aria-busy');
  showTarget(parts, active);
  showTrace(sentences, active, took);
}

/** @param {string} sentence @param {Translated} result */
function remember(sentence, result) {
  memory.delete(sentence);
  memory.set(sentence, result);
  if (memory.size > kRemembered) memory.delete(/** @type {string} */ (memory.keys().next().value));
}

/**
 * The sentence under the caret, or before it.
 * @param {{text: string, sentence: boolean}[]} parts
 */
function activeSentence(parts) {
  const count = parts.filter((part) => part.sentence).length;
  if (clicked >= 0 && clicked < count) return clicked;
  let [begin, index] = [0, -1];
  for (const part of parts) {
    if (begin >= source.selectionStart && index >= 0) break;
    if (part.sentence) ++index;
    begin += part.text.length;
  }
  return index;
}

/** @param {{text: string, sentence: boolean}[]} parts @param {number} active */
function showTarget(parts, active) {
  let index = -1;
  const several = parts.filter((part) => part.sentence).length > 1;
  target.replaceChildren(
    ...parts.map((part) => {
      if (!part.sentence) return part.text;
      ++index;
      const span = document.createElement('span');
      span.textContent = memory.get(part.text)?.text ?? '';
      span.dataset.sentence = String(index);
      if (several && index === active) span.className = 'active';
      return span;
    }),
  );
}

/** @param {string[]} sentences @param {number} active @param {number} took */
function showTrace(sentences, active, took) {
  const sentence = sentences[active];
  const trace = sentence === undefined ? null : memory.get(sentence)?.trace;
  which.textContent = sentences.length > 1 ? `Below: sentence ${active + 1} of ${sentences.length}` : '';
  if (sentence === shown && trace) return;
  shown = sentence ?? null;
  explorer.show(trace);
  if (trace)
    status.ready(
      `${about()} · ${took.toFixed(0)} ms · ${Math.round((1000 * trace.target.pieces.length) / took)} pieces/s`,
    );
}

function about() {
  const { name = 'en-fr', parameters = 0, bytes = 0, engine = '' } = translator.info ?? {};
  return [name, `${(parameters / 1e6).toFixed(1)} M parameters`, `${(bytes / 1e6).toFixed(1)} MB`, engine]
    .filter(Boolean)
    .join(' · ');
}

source.value = kFirst;
source.addEventListener('input', () => {
  clicked = -1;
  run.request(kTypingPause);
});
document.addEventListener('selectionchange', () => {
  if (document.activeElement !== source || !translator) return;
  clicked = -1;
  run.request(kTypingPause);
});
target.addEventListener('click', (event) => {
  const sentence = /** @type {HTMLElement} */ (event.target).dataset.sentence;
  if (sentence === undefined) return;
  clicked = Number(sentence);
  run.request();
});
find('#examples').append(
  ...kExamples.map((example) => {
    const chip = document.createElement('button');
    chip.type = 'button';
    chip.textContent = example;
    chip.addEventListener('click', () => {
      source.value = example;
      clicked = -1;
      run.request();
    });
    return chip;
  }),
);
bindTheme(find('#theme'));
load();
