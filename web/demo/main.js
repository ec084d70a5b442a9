// The Translate page: text in, translation out, and what each head looked at.

import { Translator } from '../lib/index.js';
import { readAddress, writeAddress } from './address.js';
import { Explorer } from './explorer.js';
import { LatestRun } from './latest.js';
import { Marks } from './marks.js';
import { bindSave } from './save.js';
import { bindOpen } from './open.js';
import { Session } from './session.js';
import { statusLine } from './status.js';
import { Texts } from './texts.js';
import { bindTheme } from './theme.js';

const kTypingPause = 150;
const kAddressPause = 400; // browsers refuse addresses that change too often

const find = (/** @type {string} */ query) => /** @type {any} */ (document.querySelector(query));
const query = new URLSearchParams(location.search);
const status = statusLine(document);
const explorer = new Explorer(document);
const texts = new Texts(document, new Marks(explorer));
/** @type {Translator | null} */
let translator = null;
/** @type {Session | null} */
let session = null;
/** @type {import('../view/trace.js').Trace | null} */
let traced = null;
/** A trace from a file; in view until its text is changed. @type {{trace: import('../view/trace.js').Trace, name: string} | null} */
let saved = null;

const run = new LatestRun(translate, (error) => {
  texts.busy(false);
  status.failed(error, () => run.request());
});

async function load() {
  status.loading(0);
  try {
    translator = await Translator.create({
      sourceLanguage: 'en',
      targetLanguage: 'fr',
      wasm: query.get('engine') ?? undefined,
      model: query.get('model') ?? undefined,
      monitor: (/** @type {EventTarget} */ progress) =>
        progress.addEventListener('downloadprogress', (event) => status.loading(/** @type {any} */ (event).loaded)),
    });
    session = new Session(translator);
    status.ready(translator.info);
    run.request();
  } catch (error) {
    texts.busy(false);
    status.failed(error, load);
  }
}

/** The sentence under the caret first, with its trace; then what else is new. @param {AbortSignal} signal */
async function translate(signal) {
  if (saved) {
    if (texts.text === shownText) return status.opened(saved.name);
    saved = null;
  }
  if (!session || !translator) return;
  const { sentences, active, own } = texts.read(translator.info.maxLength - 2);
  const sentence = sentences.at(active);
  if (sentence !== undefined) session.setOwn(sentence, own);
  if (sentence !== undefined && !session.traceOf(sentence)) {
    const begin = performance.now();
    await session.trace(sentence, signal);
    signal.throwIfAborted();
    const pieces = session.traceOf(sentence)?.target.pieces.length ?? 0;
    status.ready(translator.info, { pieces, milliseconds: performance.now() - begin });
  }
  show(session, sentence);
  for (const other of sentences) {
    if (session.textOf(other) !== undefined) continue;
    await session.translate(other, signal);
    signal.throwIfAborted();
    texts.show(session);
  }
  texts.busy(false);
  if (texts.text !== (readAddress(location.hash).text ?? firstText) || location.hash) note();
}

/** @param {Session} known @param {string | undefined} sentence the one under the caret */
function show(known, sentence) {
  const trace = sentence === undefined ? null : (known.traceOf(sentence) ?? null);
  if (trace !== traced) explorer.show(trace);
  traced = trace;
  texts.show(known);
}

/** The text field's text of the saved trace in view. */
let shownText = '';

/** @param {import('../view/trace.js').Trace} trace @param {string} name */
function open(trace, name) {
  run.cancel();
  saved = { trace, name };
  traced = trace;
  texts.showSaved(trace);
  shownText = texts.text;
  explorer.show(trace);
  status.opened(name);
}

const firstText = texts.text;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let noting;

/** Says in the address what is in view. @param {boolean} [step] one that Back undoes */
function note(step = false) {
  clearTimeout(noting);
  const { text, sentence } = texts;
  const hash = () => writeAddress({ text: text === firstText ? null : text, sentence, sight: explorer.sight });
  const address = () => hash() || location.pathname + location.search;
  if (step) history.pushState(null, '', address());
  else noting = setTimeout(() => history.replaceState(null, '', address()), kAddressPause);
}

/** Shows what the address asks for. */
function restore() {
  saved = null;
  clearTimeout(noting);
  const { text, sentence, sight } = readAddress(location.hash);
  texts.set(text ?? firstText, sentence);
  explorer.sight = sight;
  run.request();
}

texts.addEventListener('input', () => run.request(kTypingPause));
texts.addEventListener('choose', () => {
  saved = null;
  if (texts.text !== (readAddress(location.hash).text ?? firstText)) note(true);
  run.request();
});
explorer.addEventListener('sight', () => note());
addEventListener('popstate', restore);
bindTheme(find('#theme'));
bindSave(find('#save'), () => explorer.inView);
bindOpen(find('#file'), find('#open'), open, status.unreadable);
restore();
load();
