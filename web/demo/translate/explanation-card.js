// The card that shows attention beside the need of each word, and attention followed through the layers of the encoder. The
// model computes them when the reader chooses a view.

import { attentionFlow, attentionRollout, neededWords } from '../../lib/explain/index.js';
import { Selection, formatWeight, readingText, sliceOf } from '../../view/index.js';
import { labelsOf, peakOf, weightAt } from '../../view/trace.js';
import { make, segmented } from '../shared/dom.js';
import { QuestionCard } from './question-card.js';

/** @typedef {import('../../lib/index.js').Trace} Trace */
/** @typedef {import('../../lib/index.js').Translator} Translator */
/** @typedef {import('../../view/trace.js').Slice} Slice */
/** @typedef {'attention' | 'needed' | 'rollout' | 'flow'} Measure */

/** The views, and the measures that each shows. @type {Record<string, {label: string, shows: Measure[]}>} */
const kViews = {
  attention: { label: 'attention', shows: ['attention'] },
  needed: { label: 'what it needed', shows: ['needed'] },
  both: { label: 'both', shows: ['attention', 'needed'] },
  rollout: { label: 'rollout', shows: ['rollout'] },
  flow: { label: 'flow', shows: ['flow'] },
};

/** @param {string | null} name @returns {string | null} */
export const viewOf = (name) => (name !== null && Object.hasOwn(kViews, name) ? name : null);

/** The name and the meaning of each measure. @type {Record<Measure, {name: string, caption: string}>} */
const kMeasures = {
  attention: {
    name: 'Attention',
    caption:
      'How much of each source piece was read while a target piece was written: the mean of the heads that align best. It says where the model looked. It does not say that the model used what it saw.',
  },
  needed: {
    name: 'What it needed',
    caption:
      'How much log p of each target piece falls, in nats, when a source piece is hidden from all cross attention. It says what this translation depends on. It does not say what would be written instead. If one piece can replace another, both may seem not to be needed.',
  },
  rollout: {
    name: 'Attention rollout, of the encoder',
    caption:
      'The product of all layers. Each layer is half the mean of its heads and half the identity, for the residual connection. It says how much of each piece can be in a row of the last layer. It leaves out values, norms and feed-forward blocks (Abnar and Zuidema 2020).',
  },
  flow: {
    name: 'Attention flow, of the encoder',
    caption:
      'The maximum flow from a row of the last layer to each piece, with the weights as capacities. It is an upper bound on what attention alone can carry. It does not say what is used (Abnar and Zuidema 2020).',
  },
};

/** Dispatches `choose` when the reader chose a view. */
export class ExplanationCard extends QuestionCard {
  #card;
  #message;
  #reading;
  #panes;
  #views;
  #selection = new Selection();
  /** @type {string | null} */
  #view = null;
  /** The matrices computed so far for the translation in view. @type {Map<Measure, Slice>} */
  #computed = new Map();
  /** @type {Slice[]} */
  #shown = [];

  /** @param {ParentNode} root @param {import('./intervention-model.js').InterventionModel} model */
  constructor(root, model) {
    super(model);
    const find = (/** @type {string} */ query) => /** @type {HTMLElement} */ (root.querySelector(query));
    this.#card = find('#explanation');
    this.#message = find('#explanation-message');
    this.#reading = find('#explanation-reading');
    this.#panes = find('#explanation-panes');
    const choices = Object.entries(kViews).map(([id, { label }]) => /** @type {[string, string]} */ ([id, label]));
    this.#views = segmented('What is shown', choices, (view) => {
      this.view = view;
      this.dispatchEvent(new Event('choose'));
    });
    find('#explanation-view').append(this.#views.node);
    this.#selection.addEventListener('change', () => this.#read());
  }

  /** The chosen view; null: none. */
  get view() {
    return this.#view;
  }
  set view(view) {
    this.#view = view;
    this.#views.set(view ?? '');
    this.#card.classList.toggle('open', view !== null);
    this.#card.classList.toggle('two', view === 'both');
    this.request();
  }

  /** @override */
  forget() {
    this.#computed.clear();
  }

  /** @override @param {string} text */
  say(text) {
    this.#message.textContent = text;
    this.#panes.ariaBusy = 'false';
  }

  /** @override @param {AbortSignal} signal */
  async ask(signal) {
    const { trace } = this;
    if (this.#view === null || !trace) return this.#draw([]);
    const wanted = kViews[this.#view].shows;
    this.#panes.ariaBusy = 'true';
    for (const measure of wanted) {
      if (this.#computed.has(measure)) continue;
      const slice = measure === 'attention' ? attentionOf(trace) : await this.#compute(measure, trace, signal);
      signal.throwIfAborted();
      this.#computed.set(measure, slice);
    }
    this.#draw(wanted);
  }

  /** @param {'needed' | 'rollout' | 'flow'} measure @param {Trace} trace @param {AbortSignal} signal */
  async #compute(measure, trace, signal) {
    this.#message.textContent =
      measure === 'needed' ? 'Each source piece is hidden in turn…' : 'Attention is followed through the layers…';
    const translator = await this.translator(signal);
    return measure === 'needed' ? neededOf(translator, trace, signal) : followed(translator, measure, trace, signal);
  }

  /** @param {Measure[]} wanted */
  #draw(wanted) {
    this.#selection.clear();
    const slices = wanted.flatMap((measure) => this.#computed.get(measure) ?? []);
    this.#shown = slices;
    this.#panes.replaceChildren(...wanted.map((measure, i) => this.#pane(measure, slices, i)));
    this.say('');
    this.#read();
  }

  /** @param {Measure} measure @param {Slice[]} slices @param {number} index */
  #pane(measure, slices, index) {
    const slice = slices[index];
    const { name, caption } = kMeasures[measure];
    const legend = make('qkv-legend', slice.signed ? { peak: String(peakOf(slice) || 1), unit: 'nats' } : {});
    const matrix = make('qkv-matrix', { slice, selection: this.#selection });
    if (slices.length > 1) matrix.beside = slices.filter((other) => other !== slice);
    return make('div.pane', {}, make('h3', {}, name), make('p.caption', {}, caption), legend, matrix);
  }

  /** Describes the selected place in each matrix. */
  #read() {
    const place = this.#selection.current;
    const texts = place
      ? this.#shown.map((slice) => (slice.signed ? needText(slice, place) : readingText(slice, place)))
      : [];
    this.#reading.textContent =
      texts.length > 0
        ? `${texts.join('; ')}.`
        : 'To see the numbers of a cell, point at it or move to it with the keys.';
    this.#reading.hidden = this.#shown.length === 0;
  }
}

const kBase = { layer: 0, head: 0, keyShift: 0, causal: false, window: null };

/** @param {Trace} trace @returns {Slice} */
function attentionOf(trace) {
  const slice = sliceOf(trace, { kind: 'alignment', layer: 0, head: 0 });
  if (!slice) throw new Error('this model has no cross attention');
  return { ...slice, title: kMeasures.attention.name };
}

/** @param {Translator} translator @param {Trace} trace @param {AbortSignal} signal @returns {Promise<Slice>} */
async function neededOf(translator, { source, target }, signal) {
  const found = await neededWords(translator, { source: source.text, target: target.text }, { signal });
  return {
    ...kBase,
    ...{ kind: 'alignment', queries: labelsOf(found.target), keys: labelsOf(found.source) },
    ...{ querySide: 'target', keySide: 'source', weights: found.data, signed: true, title: kMeasures.needed.name },
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
    ...{ querySide: 'source', keySide: 'source', weights: found.data, title: kMeasures[how].name },
  };
}

const kNamed = 3;

/** The largest falls in a row or a column, as text. @param {Slice} slice @param {import('../../view/selection.js').Place} place */
function needText(slice, { query, key }) {
  const cells = slice.queries.flatMap((_, q) => slice.keys.map((__, k) => ({ q, k, fall: weightAt(slice, q, k) })));
  const own = cells
    .filter(({ q, k }) => (query === null || q === query) && (key === null || k === key))
    .sort((a, b) => b.fall - a.fall)
    .slice(0, kNamed);
  const fall = (/** @type {{fall: number}} */ cell) => formatWeight(cell.fall);
  if (query === null) {
    const named = own.map((cell) => `“${slice.queries[cell.q].text}” ${fall(cell)}`);
    return `without “${slice.keys[key ?? 0].text}” log p falls by: ${named.join(', ')}`;
  }
  const named = own.map((cell) => `${fall(cell)} without “${slice.keys[cell.k].text}”`);
  return `log p of “${slice.queries[query].text}” falls by ${named.join(', ')}`;
}
