// The Translate page: it translates a text, and shows the attention of each head.

import { QkvError, Translator } from '../../lib/index.js';
import { AddressBar } from '../shared/address-bar.js';
import { readAddress, writeAddress } from './address.js';
import { begun, engine } from './early.js';
import { ExplanationCard } from './explanation-card.js';
import { InterventionModel } from './intervention-model.js';
import { SearchCard } from './search-card.js';
import { InterventionsCard } from './interventions-card.js';
import { Explorer } from '../shared/explorer.js';
import { make } from '../shared/dom.js';
import { Importance } from './importance.js';
import { LatestRun } from '../shared/latest.js';
import { Marks } from '../shared/marks.js';
import { ModelCard } from './model-card.js';
import { ModelPicker } from './model-picker.js';
import { choiceOf, offeredOptions, idOf } from './offered-models.js';
import { attentionFiles, bindSave } from '../shared/save.js';
import { bindOpen } from './open-trace.js';
import { worksOffline } from '../shared/offline.js';
import { Player } from './player.js';
import { Recent } from './recent.js';
import { Session } from './session.js';
import { SideBySide } from './side-by-side.js';
import { SourceLanguage } from './source-language.js';
import { statusLine } from '../shared/status.js';
import { sayDone } from './text-tools.js';
import { Texts } from './texts.js';
import { bindTheme } from '../shared/theme.js';
import { translation } from '../shared/words.js';
import { bindUseCard } from './use-card.js';
import { WordChoices } from './word-choices.js';

const kTypingPause = 150;

const find = (/** @type {string} */ query) => /** @type {any} */ (document.querySelector(query));
const query = new URLSearchParams(location.search);
const status = statusLine(document);
const address = new AddressBar();
const explorer = new Explorer(document);
const marks = new Marks(explorer);
const texts = new Texts(document, marks);
const words = new WordChoices(document, marks, explorer, async (prefix, signal) =>
  session && inView !== undefined ? session.continued(inView, prefix, signal) : '',
);
const player = new Player(document);
const pair = new SideBySide(document);
const recent = new Recent(document);
const interventionModel = new InterventionModel(() => Translator.create({ ...modelOptions(), interventions: true }));
const changes = new InterventionsCard(document, explorer, interventionModel);
const importance = new Importance(document, interventionModel);
const explanation = new ExplanationCard(document, interventionModel);
const modelCard = new ModelCard(document, explorer, interventionModel);
const searchCard = new SearchCard(document, (error) => status.failed(error, null));
const models = new ModelPicker(document, query.get('model'));
/** @type {Translator | null} */
let translator = null;
/** @type {Session | null} */
let session = null;
/** The trace in view. @type {import('../../view/trace.js').Trace | null} */
let traceInView = null;
/** The trace from a file. It is in view until the text is changed. @type {{trace: import('../../view/trace.js').Trace, name: string} | null} */
let saved = null;

/** The sentence in view. @type {string | undefined} */
let inView;
/** The prefix in the address for the translation in view; undefined: it is applied already. @type {number[] | null | undefined} */
let prefixOfAddress;

bindUseCard(document);

const run = new LatestRun(translate, (error) => {
  texts.busy(false);
  status.failed(error, () => run.request());
});

const sourceLanguage = new SourceLanguage(document, {
  has: (from) => models.has(from, models.source.tag),
  choose: (from) => models.choose(from, models.source.tag) || askForModel(from, models.source.tag),
});
/** Finds the language of the typed text. The translation does not wait for it. */
const detecting = new LatestRun(
  async (signal) => {
    if (texts.text === firstText || saved) return sourceLanguage.hide();
    await sourceLanguage.check(texts.text, models.source.tag, signal);
  },
  () => sourceLanguage.hide(),
);

/** Loads the picked model. A newer choice aborts the older one. */
const loading = new LatestRun(load, (error) => {
  blank();
  texts.busy(false);
  status.failed(error, () => loading.request());
});
/** Identifies the model that is loaded or loading: its language and folder, or the model that the reader gave. @type {unknown} */
let loadedId = '';

/** The picked languages. */
const choice = () => choiceOf(models.source.tag, models.target.tag);
/** The options of the picked model. */
const modelOptions = () => ({
  ...(models.given
    ? { sourceLanguage: models.source.tag, targetLanguage: models.target.tag, ...models.given.options }
    : offeredOptions(choice(), models.folder)),
  wasm: engine,
});

/** Loads the picked model. @param {AbortSignal} signal */
async function load(signal) {
  const { target, source, given } = models;
  status.loading(0);
  interventionModel.forget();
  changes.forget();
  const progressed = (/** @type {Event} */ event) => {
    if (!signal.aborted) status.loading(/** @type {any} */ (event).loaded);
  };
  const monitor = (/** @type {EventTarget} */ progress) => progress.addEventListener('downloadprogress', progressed);
  const loaded = await (begun(loadedId, signal, progressed) ??
    Translator.create({ ...modelOptions(), monitor, signal }));
  translator?.destroy(); // not earlier: with no model left the engine would end, and the next model could not use it
  // From here on the page uses the new model.
  translator = loaded;
  session = new Session(loaded);
  texts.languages = { source, target };
  explorer.words = translation(source.name, target.name);
  status.named(given && loaded.info.name === 'custom' ? `${source.tag}-${target.tag}` : null);
  status.ready(loaded.info);
  searchCard.ready(loaded.info.beam);
  run.request();
  status.offline(false);
}

/** The translator whose model was looked for on this device. @type {Translator | null} */
let lookedFor = null;

/** Keeps the pages for visits without a network, once there is a translation: their files do not delay it. */
function keepPages() {
  if (!translator || lookedFor === translator) return;
  const loaded = (lookedFor = translator);
  const { tag } = models.target;
  void worksOffline(loaded.info.name, tag).then((is) => translator === loaded && status.offline(is));
}

/** Loads the picked model if it is another one, and translates with it. */
function usePickedModel() {
  const { folder, given } = models;
  const id = given ?? idOf(choice(), folder);
  if (loadedId === id) return;
  loadedId = id;
  run.cancel();
  session = null;
  texts.busy(true);
  loading.request();
}

/**
 * Translates the sentence under the caret first, with its trace. Then it translates the other sentences that changed.
 * @param {AbortSignal} signal
 */
async function translate(signal) {
  // A saved trace is shown until its text is changed.
  if (saved) {
    if (texts.text === shownText) return status.opened(saved.name);
    saved = null;
  }
  if (!session || !translator) return;
  // The sentence under the caret.
  const { sentences, active, own } = texts.read(translator.info.maxLength - 2);
  const sentence = sentences.at(active);
  if (sentence !== undefined) {
    session.setOwn(sentence, own);
    if (prefixOfAddress !== undefined) session.restore(sentence, prefixOfAddress);
    prefixOfAddress = undefined;
    if (!session.traceOf(sentence)) await trace(session, sentence, translator.info, signal);
  }
  show(session, sentence);
  // Then the other sentences, one after the other.
  for (const other of sentences) {
    if (session.textOf(other) !== undefined) continue;
    await session.translate(other, signal);
    signal.throwIfAborted();
    texts.show(session);
  }
  texts.busy(false);
  keepPages();
  // The complete translation is kept among the recent ones, and in the address.
  if (own === null && texts.text !== firstText) recent.note(texts.text, texts.translation);
  if (texts.text !== textOfAddress() || location.hash) writeView();
}

/** Traces a sentence, and shows the speed. @param {Session} known @param {string} sentence @param {Translator['info']} info @param {AbortSignal} signal */
async function trace(known, sentence, info, signal) {
  const begin = performance.now();
  try {
    await known.trace(sentence, signal);
  } catch (error) {
    const isPrefix = error instanceof QkvError && error.where === 'prefix';
    if (!isPrefix) throw error;
    known.restore(sentence, null); // the prefix of an address may be one that this model cannot write
    await known.trace(sentence, signal);
  }
  signal.throwIfAborted();
  const pieces = known.traceOf(sentence)?.target.pieces.length ?? 0;
  const note = known.noteOf(sentence);
  status.ready(info, { pieces, milliseconds: performance.now() - begin, note });
}

/** Shows a sentence and its trace in all cards. @param {Session} known @param {string | undefined} sentence the one under the caret */
function show(known, sentence) {
  const trace = sentence === undefined ? null : (known.traceOf(sentence) ?? null);
  inView = sentence;
  pair.show(models.source.tag === 'en' ? sentence : null);
  if (trace !== traceInView) {
    explorer.show(trace, true);
    words.show(trace, true);
    player.show(trace);
    modelCard.show(trace, true);
    showInQuestionCards(trace, sentence === undefined ? null : known.prefixOf(sentence));
    searchCard.show(sentence === undefined ? null : (beam, signal) => known.search(sentence, beam, signal));
  }
  traceInView = trace;
  texts.show(known);
}

/** Shows no translation: the one in view is of another model than the chosen one, often in another language. */
function blank() {
  inView = undefined;
  traceInView = null;
  explorer.show(null, false);
  words.show(null, false);
  player.show(null);
  modelCard.show(null, false);
  showInQuestionCards(null, null);
  searchCard.show(null);
  texts.blank();
}

/**
 * Shows a translation in the cards that ask the model about it.
 * @param {import('../../lib/index.js').Trace | null} trace null: the model did not make it
 * @param {number[] | null} prefix
 */
function showInQuestionCards(trace, prefix) {
  changes.show(trace, prefix);
  importance.show(trace);
  explanation.show(trace);
}

/**
 * Translates the sentence in view again, so that the translation begins with these pieces.
 * @param {number[] | null} prefix null: undoes the last choice
 */
function translateFrom(prefix) {
  if (!session || inView === undefined || saved) return;
  player.keep();
  texts.endOwn();
  session.setOwn(inView, null);
  if (prefix) session.choose(inView, prefix);
  else session.undo(inView);
  texts.busy(true);
  writeView(true);
  run.request();
}

/** The text in the text field while a saved trace is in view. */
let shownText = '';

/** Shows a trace from a file. @param {import('../../view/trace.js').Trace} trace @param {string} name */
function open(trace, name) {
  run.cancel();
  saved = { trace, name };
  traceInView = trace;
  // A trace from a file has both sides.
  const { source, target } = /** @type {Record<'source' | 'target', import('../../view/trace.js').Side>} */ (trace);
  texts.showSaved(source, target);
  shownText = texts.text;
  explorer.show(trace, false);
  words.show(trace, false);
  player.show(trace);
  modelCard.show(trace, false);
  showInQuestionCards(null, null);
  searchCard.show(null);
  status.opened(name);
}

/**
 * Asks the reader for a model.
 * @param {string} from the source language
 * @param {string} [to] the target language; left out: the field keeps its text
 * @param {string} [why] the reason, which the panel shows
 * @param {() => void} [before] called before the model is picked
 */
async function askForModel(from, to, why, before) {
  const firefox = await import('./firefox.js');
  const given = await firefox.askForModel(document, from, to, why);
  if (!given) return;
  before?.();
  models.give(given);
}

/** Swaps the languages and translates the translation back. If no model is known for that, the reader is asked for one. */
async function swap() {
  const { source, target } = models;
  const text = texts.translation;
  if (models.turn()) return;
  const why = `No model on this page translates from ${target.name} to ${source.name}. Bring a model that does.`;
  return askForModel(target.tag, source.tag, why, () => texts.set(text));
}

const firstText = texts.text;
/** The text in the address: the reader shared it, or opened a link with it. @type {string | null} */
let shared = null;
/** The text of the view that was written last. */
const textOfAddress = () => readAddress(AddressBar.view).text ?? firstText;
/**
 * Writes the view to the address. The reader's text, and the state that belongs to it, is in the address only if the reader
 * shared it. Back and reloading restore it in any case.
 * @param {boolean} [step] whether Back undoes it
 */
function writeView(step = false) {
  const view = {
    text: texts.text === firstText ? null : texts.text,
    sentence: texts.sentence,
    prefix: (inView !== undefined && session?.prefixOf(inView)) || null,
    step: player.step,
    viewState: explorer.viewState,
    beam: searchCard.beam,
    language: models.language,
    changes: changes.list,
    importance: importance.isOn,
    explanation: explanation.view,
    part: modelCard.part,
    pair: pair.models,
    model: models.id,
  };
  const isPublic = view.text === null || view.text === shared;
  const publicView = isPublic ? view : { ...view, text: null, sentence: -1, prefix: null, step: null };
  address.note(writeAddress(publicView), step, writeAddress(view));
}

/** Writes the text to the address too, and copies the link. */
async function share() {
  shared = texts.text;
  writeView();
  address.settle();
  const button = find('#share');
  try {
    await navigator.clipboard.writeText(location.href);
    sayDone(button, 'link copied', 'share');
  } catch {
    sayDone(button, 'the address is the link', 'share');
  }
}

/** Shows the view of the address. */
function restore() {
  saved = null;
  address.forget();
  shared = readAddress(location.hash).text;
  const view = readAddress(AddressBar.view);
  // Each part of the page takes its state from the address. Then one run shows all.
  texts.set(view.text ?? firstText, view.sentence);
  prefixOfAddress = view.prefix;
  player.step = view.step;
  explorer.viewState = view.viewState;
  searchCard.beam = view.beam;
  pair.models = view.pair;
  changes.list = view.changes;
  importance.isOn = view.importance;
  explanation.view = view.explanation;
  modelCard.part = view.part;
  models.pick(view.language, view.model);
  usePickedModel();
  run.request();
  detecting.request();
}

// The texts.
texts.addEventListener('input', () => {
  run.request(kTypingPause);
  detecting.request(kTypingPause);
});
texts.addEventListener('choose', () => {
  saved = null;
  inView = undefined;
  recent.begin();
  if (texts.text !== textOfAddress()) writeView(true);
  run.request();
  detecting.request();
});
recent.addEventListener('choose', (event) => texts.choose(/** @type {CustomEvent} */ (event).detail));
find('#share').addEventListener('click', share);
find('#swap').addEventListener('click', swap);
find('#swap').hidden = query.has('model'); // the page's address names the only model
texts.addEventListener('undo', () => translateFrom(null));
// The views of the trace.
explorer.addEventListener('viewchange', () => writeView());
texts.addEventListener('word', (event) => words.openAt(/** @type {CustomEvent} */ (event).detail));
for (const picker of [explorer, words]) {
  picker.addEventListener('pick', (event) => {
    const { query, id } = /** @type {CustomEvent} */ (event).detail;
    explorer.keep(query);
    translateFrom([...Array.from(traceInView?.target?.ids ?? []).slice(0, query), id]);
  });
}
explorer.explain = (
  /** @type {import('../../view/trace.js').Slice} */ slice,
  /** @type {{query: number, key: number}} */ cell,
) => {
  const link = make('a.made', {}, 'How was this made?');
  void linkToPlayground(link, slice, cell);
  return link;
};
/** Makes the link lead to a cell on the page Attention, or removes it. @param {HTMLAnchorElement} link @param {import('../../view/trace.js').Slice} slice @param {{query: number, key: number}} cell */
async function linkToPlayground(link, slice, cell) {
  if (!session || inView === undefined || saved) return link.remove();
  const [{ playgroundLink }, trace] = await Promise.all([import('./playground-link.js'), session.vectorsOf(inView)]);
  const found = playgroundLink(trace, slice, cell);
  if (found) [link.href, link.textContent] = [found.href, found.text];
  else link.remove();
}
// The cards.
changes.addEventListener('change', () => writeView());
importance.addEventListener('change', () => writeView());
explanation.addEventListener('choose', () => writeView());
modelCard.addEventListener('choose', () => writeView());
pair.addEventListener('choose', () => writeView());
player.addEventListener('step', () => {
  explorer.written = marks.written = modelCard.written = searchCard.steps = player.step;
  writeView();
});
searchCard.addEventListener('choose', (event) => translateFrom(/** @type {CustomEvent} */ (event).detail));
searchCard.addEventListener('beam', () => writeView());
// The models.
models.addEventListener('turn', () => {
  recent.begin();
  if (texts.translation !== '') texts.set(texts.translation); // else the text stays: its translation is not there yet
});
models.addEventListener('choose', () => {
  prefixOfAddress = undefined; // its ids belong to another model
  saved = null;
  inView = undefined;
  usePickedModel();
  writeView(true);
  detecting.request();
});
models.addEventListener('ask', () => askForModel(models.source.tag));
addEventListener('popstate', restore);
bindTheme(find('#theme'));
bindSave(
  find('#save'),
  attentionFiles(() => explorer.inView),
);
bindOpen(find('#file'), find('#open'), open, status.unreadable);
restore();
