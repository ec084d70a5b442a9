// The Translate page: it translates a text, and shows the attention of each head.

import { QkvError, Translator } from '../../lib/index.js';
import { AddressBar } from '../shared/address-bar.js';
import { readAddress, writeAddress } from './address.js';
import { ExplanationCard } from './explanation-card.js';
import { InterventionModel } from './intervention-model.js';
import { BeamCard } from './search-card.js';
import { InterventionsCard } from './interventions-card.js';
import { Explorer } from '../shared/explorer.js';
import { make } from '../shared/dom.js';
import { Importance } from './importance.js';
import { LatestRun } from '../shared/latest.js';
import { Marks } from '../shared/marks.js';
import { ModelCard } from './model-card.js';
import { ModelPicker } from './model-picker.js';
import { attentionFiles, bindSave } from '../shared/save.js';
import { bindOpen } from './open-trace.js';
import { worksOffline } from '../shared/offline.js';
import { ownModels } from '../shared/own-models.js';
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
  session && inView !== undefined ? session.goOn(inView, prefix, signal) : '',
);
const player = new Player(document);
const pair = new SideBySide(document);
const recent = new Recent(document);
const askedModel = new InterventionModel(() => Translator.create({ ...modelOptions(), interventions: true }));
const changes = new InterventionsCard(document, explorer, askedModel);
const importance = new Importance(document, askedModel);
const asked = new ExplanationCard(document, askedModel);
const whole = new ModelCard(document, explorer, askedModel);
const beam = new BeamCard(document, (error) => status.failed(error, null));
const models = new ModelPicker(document, query.get('model'));
/** @type {Translator | null} */
let translator = null;
/** @type {Session | null} */
let session = null;
/** @type {import('../../view/trace.js').Trace | null} */
let traced = null;
/** A trace from a file; in view until its text is changed. @type {{trace: import('../../view/trace.js').Trace, name: string} | null} */
let saved = null;

/** The sentence in view. @type {string | undefined} */
let inView;
/**
 * The prefix of the sentence's translation in the address; undefined: already applied. @type {number[] | null |
 * undefined}
 */
let wanted;

bindUseCard(document);

const run = new LatestRun(translate, (error) => {
  texts.busy(false);
  status.failed(error, () => run.request());
});

const sourceLanguage = new SourceLanguage(document, (language) => askForModel(language, models.source.tag));
/** Finds the language of the typed text. The translation does not wait for it. */
const looking = new LatestRun(
  async (signal) => {
    if (texts.text === firstText || saved) return sourceLanguage.hide();
    await sourceLanguage.check(texts.text, models.source.tag, signal);
  },
  () => sourceLanguage.hide(),
);

/** Loads the picked model. A newer choice aborts the older one. */
const loading = new LatestRun(load, (error) => {
  texts.busy(false);
  status.failed(error, () => loading.request());
});
/** The language and the folder of the model that is loaded or loading; or the model that the reader gave. @type {unknown} */
let picked = '';

/** The options of the picked model. */
const modelOptions = () => ({
  sourceLanguage: models.source.tag,
  targetLanguage: models.target.tag,
  wasm: query.get('engine') ?? undefined,
  ...(models.given?.options ?? { model: models.folder ?? ownModels[models.target.tag] }),
});

/** @param {AbortSignal} signal */
async function load(signal) {
  const { target, source, given } = models;
  status.loading(0);
  askedModel.forget();
  changes.forget();
  const progressed = (/** @type {Event} */ event) => {
    if (!signal.aborted) status.loading(/** @type {any} */ (event).loaded);
  };
  const loaded = await Translator.create({
    ...modelOptions(),
    monitor: (/** @type {EventTarget} */ progress) => progress.addEventListener('downloadprogress', progressed),
    signal,
  });
  translator?.destroy(); // not before: the next model goes into the same engine
  translator = loaded;
  session = new Session(loaded);
  texts.languages = { source, target };
  explorer.words = translation(source.name, target.name);
  status.named(given && loaded.info.name === 'custom' ? `${source.tag}-${target.tag}` : null);
  status.ready(loaded.info);
  beam.ready(loaded.info.beam);
  run.request();
  status.offline(false);
  void worksOffline(loaded.info.name, target.tag).then((is) => translator === loaded && status.offline(is));
}

/** Translates with the picked model instead of the previous one. */
function pick() {
  const { target, folder, given } = models;
  const wish = given ?? `${target.tag} ${folder}`;
  if (picked === wish) return;
  picked = wish;
  run.cancel();
  session = null;
  texts.busy(true);
  loading.request();
}

/**
 * Translates the sentence under the caret first, with its trace, then the other changed ones. @param {AbortSignal}
 * signal
 */
async function translate(signal) {
  // A saved trace is shown until its text is changed.
  if (saved) {
    if (texts.text === shownText) return status.opened(saved.name);
    saved = null;
  }
  if (!session || !translator) return;
  // The sentence that the reader looks at.
  const { sentences, active, own } = texts.read(translator.info.maxLength - 2);
  const sentence = sentences.at(active);
  if (sentence !== undefined) {
    session.setOwn(sentence, own);
    if (wanted !== undefined) session.restore(sentence, wanted);
    wanted = undefined;
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
  // A text that is complete is noted.
  if (own === null && texts.text !== firstText) recent.note(texts.text, texts.translation);
  if (texts.text !== notedText() || location.hash) note();
}

/** @param {Session} known @param {string} sentence @param {Translator['info']} info @param {AbortSignal} signal */
async function trace(known, sentence, info, signal) {
  const begin = performance.now();
  try {
    await known.trace(sentence, signal);
  } catch (error) {
    const isPrefix = error instanceof QkvError && error.where === 'prefix';
    if (!isPrefix) throw error;
    known.restore(sentence, null); // an address may have a prefix that this model cannot write
    await known.trace(sentence, signal);
  }
  signal.throwIfAborted();
  const pieces = known.traceOf(sentence)?.target.pieces.length ?? 0;
  const note = known.noteOf(sentence);
  status.ready(info, { pieces, milliseconds: performance.now() - begin, note });
}

/** @param {Session} known @param {string | undefined} sentence the one under the caret */
function show(known, sentence) {
  const trace = sentence === undefined ? null : (known.traceOf(sentence) ?? null);
  inView = sentence;
  pair.show(models.source.tag === 'en' ? sentence : undefined);
  if (trace !== traced) {
    explorer.show(trace, true);
    words.show(trace, true);
    player.show(trace);
    whole.show(trace, true);
    ask(trace, sentence === undefined ? null : known.prefixOf(sentence));
    beam.show(sentence === undefined ? null : (width, signal) => known.search(sentence, width, signal));
  }
  traced = trace;
  texts.show(known);
}

/** What can be asked of a translation that the model made. @param {import('../../lib/index.js').Trace | null} trace @param {number[] | null} prefix */
function ask(trace, prefix) {
  changes.show(trace, prefix);
  importance.show(trace);
  asked.show(trace);
}

/**
 * Translates the sentence in view again, beginning with these pieces. @param {number[] | null} prefix null: as before the
 * last choice
 */
function steer(prefix) {
  if (!session || inView === undefined || saved) return;
  player.keep();
  texts.endOwn();
  session.setOwn(inView, null);
  if (prefix) session.choose(inView, prefix);
  else session.undo(inView);
  texts.busy(true);
  note(true);
  run.request();
}

/** The text field's text of the saved trace in view. */
let shownText = '';

/** @param {import('../../view/trace.js').Trace} trace @param {string} name */
function open(trace, name) {
  run.cancel();
  saved = { trace, name };
  traced = trace;
  // Of a file that was read, both sides are there.
  const { source, target } = /** @type {Record<'source' | 'target', import('../../view/trace.js').Side>} */ (trace);
  texts.showSaved(source, target);
  shownText = texts.text;
  explorer.show(trace, false);
  words.show(trace, false);
  player.show(trace);
  whole.show(trace, false);
  ask(null, null);
  beam.show(null);
  status.opened(name);
}

/**
 * Has the reader give a model.
 * @param {string} from a language
 * @param {string} [to] left out: as it was
 * @param {string} [why] the reader is asked
 * @param {() => void} [before] the model is picked
 */
async function askForModel(from, to, why, before) {
  const firefox = await import('./firefox.js');
  const given = await firefox.askForModel(document, from, to, why);
  if (!given) return;
  before?.();
  models.give(given);
}

/** Translates the translation back, with what translates that way; without it, the reader is asked for one. */
async function swap() {
  const { source, target } = models;
  const text = texts.translation;
  const turn = () => texts.set(text);
  const isKnown = models.swap();
  if (isKnown) return texts.choose(text);
  const why = `Nothing on this page translates from ${target.name} to ${source.name}. Bring a model that does.`;
  return askForModel(target.tag, source.tag, why, turn);
}

const firstText = texts.text;
/** The text that the address has: the reader shared it, or came with it. @type {string | null} */
let shared = null;
/** The text of the view that was noted last. */
const notedText = () => readAddress(AddressBar.view).text ?? firstText;
/**
 * Writes the view to the address. The reader's text, and the state that belongs to it, is there only if it was shared; Back and
 * reloading know it.
 * @param {boolean} [step] one that Back undoes
 */
function note(step = false) {
  const view = {
    text: texts.text === firstText ? null : texts.text,
    sentence: texts.sentence,
    prefix: (inView !== undefined && session?.prefixOf(inView)) || null,
    step: player.step,
    sight: explorer.sight,
    beam: beam.beam,
    language: models.language,
    changes: changes.list,
    importance: importance.isOn,
    asked: asked.view,
    part: whole.part,
    pair: pair.models,
    model: models.id,
  };
  const isPublic = view.text === null || view.text === shared;
  const seen = isPublic ? view : { ...view, text: null, sentence: -1, prefix: null, step: null };
  address.note(writeAddress(seen), step, writeAddress(view));
}

/** Writes the text to the address too, and hands the link on. */
async function share() {
  shared = texts.text;
  note();
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
  const {
    text,
    sentence,
    prefix,
    step,
    sight,
    beam: width,
    language,
    changes: list,
    importance: isOn,
    asked: view,
    part,
    pair: two,
    model,
  } = readAddress(AddressBar.view);
  // Each part of the page takes its state from the address. Then one run shows all.
  texts.set(text ?? firstText, sentence);
  wanted = prefix;
  player.step = step;
  explorer.sight = sight;
  beam.beam = width;
  pair.models = two;
  changes.list = list;
  importance.isOn = isOn;
  asked.view = view;
  whole.part = part;
  models.pick(language, model);
  pick();
  run.request();
  looking.request();
}

texts.addEventListener('input', () => {
  run.request(kTypingPause);
  looking.request(kTypingPause);
});
texts.addEventListener('choose', () => {
  saved = null;
  inView = undefined;
  recent.begin();
  if (texts.text !== notedText()) note(true);
  run.request();
  looking.request();
});
recent.addEventListener('choose', (event) => texts.choose(/** @type {CustomEvent} */ (event).detail));
find('#share').addEventListener('click', share);
find('#swap').addEventListener('click', swap);
find('#swap').hidden = query.has('model'); // then there is nothing to pick
texts.addEventListener('undo', () => steer(null));
explorer.addEventListener('sight', () => note());
texts.addEventListener('word', (event) => words.openAt(/** @type {CustomEvent} */ (event).detail));
for (const picker of [explorer, words]) {
  picker.addEventListener('pick', (event) => {
    const { query, id } = /** @type {CustomEvent} */ (event).detail;
    explorer.keep(query);
    steer([...Array.from(traced?.target?.ids ?? []).slice(0, query), id]);
  });
}
explorer.made = (
  /** @type {import('../../view/trace.js').Slice} */ slice,
  /** @type {{query: number, key: number}} */ cell,
) => {
  const link = make('a.made', {}, 'How was this made?');
  void linkTo(link, slice, cell);
  return link;
};
/** @param {HTMLAnchorElement} link @param {import('../../view/trace.js').Slice} slice @param {{query: number, key: number}} cell */
async function linkTo(link, slice, cell) {
  if (!session || inView === undefined || saved) return link.remove();
  const [{ playgroundLink }, trace] = await Promise.all([import('./playground-link.js'), session.vectorsOf(inView)]);
  const made = playgroundLink(trace, slice, cell);
  if (made) [link.href, link.textContent] = [made.href, made.text];
  else link.remove();
}
changes.addEventListener('change', () => note());
importance.addEventListener('change', () => note());
asked.addEventListener('choose', () => note());
whole.addEventListener('choose', () => note());
pair.addEventListener('choose', () => note());
player.addEventListener('step', () => {
  explorer.written = marks.written = whole.written = beam.steps = player.step;
  note();
});
beam.addEventListener('choose', (event) => steer(/** @type {CustomEvent} */ (event).detail));
beam.addEventListener('width', () => note());
models.addEventListener('choose', () => {
  wanted = undefined; // its ids are another model's
  saved = null;
  inView = undefined;
  pick();
  note(true);
  looking.request();
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
