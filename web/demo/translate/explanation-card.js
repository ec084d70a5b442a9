// The card that sets attention beside what each word needed, and follows attention through the layers of the encoder. The
// model is asked when somebody chooses a view, and no translation waits for it.

import { attentionFlow, attentionRollout, neededWords } from '../../lib/explain/index.js';
import { Selection, formatWeight, readingText, sliceOf } from '../../view/index.js';
import { labelsOf, peakOf, weightAt } from '../../view/trace.js';
import { make, segmented } from '../shared/dom.js';
import { LatestRun, failureText } from '../shared/latest.js';

/** @typedef {import('../../lib/index.js').Trace} Trace */
/** @typedef {import('../../lib/index.js').Translator} Translator */
/** @typedef {import('../../view/trace.js').Slice} Slice */
/** @typedef {'attention' | 'needed' | 'rollout' | 'flow'} Asked */

/** The views, and what each shows. @type {Record<string, {label: string, shows: Asked[]}>} */
const kViews = {
  attention: { label: 'attention', shows: ['attention'] },
  needed: { label: 'what it needed', shows: ['needed'] },
  both: { label: 'both', shows: ['attention', 'needed'] },
  rollout: { label: 'rollout', shows: ['rollout'] },
  flow: { label: 'flow', shows: ['flow'] },
};

/** @param {string | null} name @returns {string | null} */
export const viewOf = (name) => (name !== null && Object.hasOwn(kViews, name) ? name : null);

/** The meaning of each matrix. @type {Record<Asked, {name: string, says: string}>} */
const kWords = {
  attention: {
    name: 'Attention',
    says: 'How much of each source piece was read while a target piece was written, as the mean of the heads that align best. It says where the model looked; it does not say that it used what it saw.',
  },
  needed: {
    name: 'What it needed',
    says: 'How much log p of each target piece falls, in nats, when a source piece is hidden from all cross attention. It says what this translation depends on; it does not say what would be written instead, and pieces that can stand for one another may seem not to be needed.',
  },
  rollout: {
    name: 'Attention rollout, of the encoder',
    says: 'The product of all layers, each half its heads’ mean and half the piece itself, which the residual hands on: how much of each piece can have come to a row of the last layer. It knows nothing of values, norms and feed-forward blocks (Abnar and Zuidema 2020).',
  },
  flow: {
    name: 'Attention flow, of the encoder',
    says: 'The same layers as pipes as wide as their weights: the most that can flow from a piece to a row of the last layer. It is a bound on what attention alone can carry, and not what is used (Abnar and Zuidema 2020).',
  },
};

/** Dispatches `choose` when the reader chose a view. */
export class ExplanationCard extends EventTarget {
  #model;
  #card;
  #message;
  #reading;
  #panes;
  #views;
  #selection = new Selection();
  /** @type {string | null} */
  #view = null;
  /** @type {Trace | null} */
  #trace = null;
  /** The matrices computed so far for the translation in view. @type {Map<Asked, Slice>} */
  #known = new Map();
  /** @type {Slice[]} */
  #shown = [];
  #run = new LatestRun(
    (signal) => this.#ask(signal),
    (error) => this.#say(failureText(error)),
  );

  /** @param {ParentNode} root @param {import('./intervention-model.js').InterventionModel} model */
  constructor(root, model) {
    super();
    this.#model = model;
    const find = (/** @type {string} */ query) => /** @type {HTMLElement} */ (root.querySelector(query));
    this.#card = find('#asked');
    this.#message = find('#asked-message');
    this.#reading = find('#asked-reading');
    this.#panes = find('#asked-panes');
    const choices = Object.entries(kViews).map(([id, { label }]) => /** @type {[string, string]} */ ([id, label]));
    this.#views = segmented('What is shown', choices, (view) => {
      this.view = view;
      this.dispatchEvent(new Event('choose'));
    });
    find('#asked-view').append(this.#views.node);
    this.#selection.addEventListener('change', () => this.#read());
  }

  /** The chosen view; null: nobody chose one. */
  get view() {
    return this.#view;
  }
  set view(view) {
    this.#view = view;
    this.#views.set(view ?? '');
    this.#card.classList.toggle('open', view !== null);
    this.#card.classList.toggle('two', view === 'both');
    this.#run.request();
  }

  /** @param {Trace | null} trace of the sentence in view */
  show(trace) {
    if (trace === this.#trace) return;
    this.#trace = trace;
    this.#known.clear();
    this.#run.request();
  }

  /** @param {string} text */
  #say(text) {
    this.#message.textContent = text;
    this.#panes.ariaBusy = 'false';
  }

  /** @param {AbortSignal} signal */
  async #ask(signal) {
    const trace = this.#trace;
    if (this.#view === null || !trace) return this.#draw([]);
    const wanted = kViews[this.#view].shows;
    this.#panes.ariaBusy = 'true';
    for (const one of wanted) {
      if (this.#known.has(one)) continue;
      const slice = one === 'attention' ? attentionOf(trace) : await this.#answer(one, trace, signal);
      signal.throwIfAborted();
      this.#known.set(one, slice);
    }
    this.#draw(wanted);
  }

  /** @param {'needed' | 'rollout' | 'flow'} what @param {Trace} trace @param {AbortSignal} signal */
  async #answer(what, trace, signal) {
    this.#message.textContent =
      what === 'needed' ? 'Each source piece is hidden in turn…' : 'Attention is followed through the layers…';
    const translator = await this.#model.get();
    signal.throwIfAborted();
    return what === 'needed' ? neededOf(translator, trace, signal) : followed(translator, what, trace, signal);
  }

  /** @param {Asked[]} wanted */
  #draw(wanted) {
    this.#selection.clear();
    const slices = wanted.flatMap((one) => this.#known.get(one) ?? []);
    this.#shown = slices;
    this.#panes.replaceChildren(...wanted.map((one, i) => this.#pane(one, slices, i)));
    this.#say('');
    this.#read();
  }

  /** @param {Asked} what @param {Slice[]} slices @param {number} index */
  #pane(what, slices, index) {
    const slice = slices[index];
    const { name, says } = kWords[what];
    const legend = make('qkv-legend', slice.signed ? { peak: String(peakOf(slice) || 1), unit: 'nats' } : {});
    const matrix = make('qkv-matrix', { slice, selection: this.#selection });
    if (slices.length > 1) matrix.beside = slices.filter((other) => other !== slice);
    return make('div.pane', {}, make('h3', {}, name), make('p.caption', {}, says), legend, matrix);
  }

  /** The place that is pointed at, in each matrix. */
  #read() {
    const place = this.#selection.current;
    const texts = place
      ? this.#shown.map((slice) => (slice.signed ? needText(slice, place) : readingText(slice, place)))
      : [];
    this.#reading.textContent =
      texts.length > 0 ? `${texts.join('; ')}.` : 'Point at a cell, or move over it by keys, for its numbers.';
    this.#reading.hidden = this.#shown.length === 0;
  }
}

const kBase = { layer: 0, head: 0, keyShift: 0, causal: false, window: null };

/** @param {Trace} trace @returns {Slice} */
function attentionOf(trace) {
  const slice = sliceOf(trace, { kind: 'alignment', layer: 0, head: 0 });
  if (!slice) throw new Error('this model has no cross attention');
  return { ...slice, title: kWords.attention.name };
}

/** @param {Translator} translator @param {Trace} trace @param {AbortSignal} signal @returns {Promise<Slice>} */
async function neededOf(translator, { source, target }, signal) {
  const found = await neededWords(translator, { source: source.text, target: target.text }, { signal });
  return {
    ...kBase,
    ...{ kind: 'alignment', queries: labelsOf(found.target), keys: labelsOf(found.source) },
    ...{ querySide: 'target', keySide: 'source', weights: found.data, signed: true, title: kWords.needed.name },
  };
}

/** @param {Translator} translator @param {'rollout' | 'flow'} how @param {Trace} trace @param {AbortSignal} signal @returns {Promise<Slice>} */
async function followed(translator, how, { source }, signal) {
  const follow = how === 'rollout' ? attentionRollout : attentionFlow;
  const found = await follow(translator, source.text, { signal });
  const labels = labelsOf(found.source);
  return {
    ...kBase,
    ...{ kind: 'encoderSelf', queries: labels, keys: labels },
    ...{ querySide: 'source', keySide: 'source', weights: found.data, title: kWords[how].name },
  };
}

const kNamed = 3;

/** @param {Slice} slice @param {import('../../view/selection.js').Place} place */
function needText(slice, { query, key }) {
  const cells = slice.queries.flatMap((_, q) => slice.keys.map((__, k) => ({ q, k, fall: weightAt(slice, q, k) })));
  const own = cells
    .filter(({ q, k }) => (query === null || q === query) && (key === null || k === key))
    .sort((a, b) => b.fall - a.fall)
    .slice(0, kNamed);
  const fall = (/** @type {{fall: number}} */ cell) => formatWeight(cell.fall);
  if (query === null) {
    const named = own.map((cell) => `“${slice.queries[cell.q].text}” ${fall(cell)}`);
    return `without “${slice.keys[key ?? 0].text}” log p falls of ${named.join(', ')}`;
  }
  const named = own.map((cell) => `${fall(cell)} without “${slice.keys[cell.k].text}”`);
  return `log p of “${slice.queries[query].text}” falls by ${named.join(', ')}`;
}
