// Interventions: heads switched off or made uniform, cells hidden; the sentence is translated again, beside the original.

import { make, segmented } from '../shared/dom.js';
import { LatestRun } from '../shared/latest.js';
import { Pane, align, tie } from './pane.js';

/** @typedef {import('../../lib/index.js').Translator} Translator */
/** @typedef {import('../../lib/index.js').Trace} Trace */
/** @typedef {'encoder' | 'decoder' | 'cross'} Attention */
/** @typedef {{kind: 'off' | 'uniform' | 'hide', attention: Attention, layer: number, head: number, queries?: number[], keys: number[]}} Change `keys`: of `hide` */

/** @type {Record<string, Attention>} */
const kAttentions = { cross: 'cross', encoderSelf: 'encoder', decoderSelf: 'decoder' };
const kMost = 64;

/** Dispatches `change` when the list of changes is another one. */
export class Changes extends EventTarget {
  #explorer;
  #create;
  #card;
  #list;
  #said;
  #mode;
  #hide;
  #panes;
  /** @type {Change[]} */
  #changes = [];
  /** @type {Promise<Translator> | null} */
  #translator = null;
  /** The original in view. @type {{trace: Trace, prefix: number[] | null} | null} */
  #original = null;
  #run = new LatestRun(
    (signal) => this.#translate(signal),
    (error) => this.#say(`It did not work: ${/** @type {Error} */ (error).message}`),
  );

  /**
   * @param {ParentNode} root
   * @param {import('../shared/explorer.js').Explorer} explorer
   * @param {() => Promise<Translator>} create a translator that takes interventions, of the model in view
   */
  constructor(root, explorer, create) {
    super();
    const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.#explorer = explorer;
    this.#create = create;
    this.#card = /** @type {HTMLElement} */ (find('#changes'));
    this.#list = /** @type {HTMLElement} */ (find('#changes-list'));
    this.#said = /** @type {HTMLElement} */ (find('#changes-said'));
    this.#hide = /** @type {HTMLButtonElement} */ (find('#changes-hide'));
    this.#mode = segmented(
      'This head',
      [
        ['look', 'look'],
        ['off', 'off'],
        ['uniform', 'uniform'],
      ],
      (mode) => this.#setMode(mode),
    );
    find('#changes-mode').append(this.#mode.node);
    this.#panes = ['As it is', 'Changed'].map((name) => new Pane(make('h3', {}, name), name));
    tie(this.#panes[0], this.#panes[1]);
    find('#changes-panes').append(...this.#panes.map(({ node }) => node));
    this.#hide.addEventListener('click', () => this.#hidePinned());
    find('#changes-undo').addEventListener('click', () => this.#set([]));
    explorer.addEventListener('change', () => this.#show());
    explorer.selection.addEventListener('change', () => this.#show());
    this.#listenToDrags(find('qkv-matrix'));
    this.#show();
  }

  get list() {
    return this.#changes;
  }
  set list(changes) {
    this.#changes = changes;
    this.#show();
    this.#run.request();
  }

  /** The model in view is another one: its heads are others. */
  forget() {
    const before = this.#translator;
    this.#translator = null;
    before?.then((translator) => translator.destroy()).catch(() => {});
    this.#original = null;
  }

  /** @param {Trace | null} trace of the sentence in view, unchanged @param {number[] | null} prefix that it began with */
  show(trace, prefix) {
    this.#original = trace && { trace, prefix };
    this.#run.request();
  }

  /** Where the head in view is. */
  get #place() {
    const { slice } = this.#explorer;
    const attention = slice && slice.keySide !== null && kAttentions[slice.kind];
    return attention ? { attention, layer: slice.layer, head: slice.head } : null;
  }

  /** @param {Change} change @param {{attention: Attention, layer: number, head: number} | null} place */
  #isAt(change, place) {
    return (
      !!place && change.attention === place.attention && change.layer === place.layer && change.head === place.head
    );
  }

  /** @param {string} mode */
  #setMode(mode) {
    const place = this.#place;
    if (!place) return;
    const others = this.#changes.filter((change) => change.kind === 'hide' || !this.#isAt(change, place));
    this.#set(mode === 'look' ? others : [...others, { kind: /** @type {'off'} */ (mode), ...place, keys: [] }]);
  }

  /** The pinned cell, or the pinned column. */
  #hidePinned() {
    const { pinned } = this.#explorer.selection;
    if (pinned && pinned.key !== null) this.#hideCells(pinned.query === null ? null : [pinned.query], [pinned.key]);
  }

  /** @param {number[] | null} queries null: all @param {number[]} keys */
  #hideCells(queries, keys) {
    const place = this.#place;
    if (place) this.#set([...this.#changes, { kind: 'hide', ...place, ...(queries && { queries }), keys }]);
  }

  /** A drag over several cells hides them; a press stays what it is. @param {HTMLElement} matrix */
  #listenToDrags(matrix) {
    const { selection } = this.#explorer;
    /** @type {import('../../view/selection.js').Place | null} */
    let from = null;
    matrix.addEventListener('pointerdown', (event) => {
      from = event.pointerType === 'touch' ? null : selection.current;
    });
    matrix.addEventListener(
      'click',
      (event) => {
        const to = selection.current;
        if (!from || !to || from.query === null || from.key === null || to.query === null || to.key === null) return;
        if (from.query === to.query && from.key === to.key) return;
        event.stopPropagation(); // else it would pin the last cell
        this.#hideCells(range(from.query, to.query), range(from.key, to.key));
        from = null;
      },
      { capture: true },
    );
  }

  /** @param {Change[]} changes */
  #set(changes) {
    this.list = changes.slice(0, kMost);
    this.dispatchEvent(new Event('change'));
  }

  #show() {
    const place = this.#place;
    const own = this.#changes.find((change) => change.kind !== 'hide' && this.#isAt(change, place));
    this.#mode.set(own?.kind ?? 'look');
    /** @type {any} */ (this.#mode.node).disabled = !place;
    this.#hide.disabled = !place || this.#explorer.selection.pinned?.key == null;
    this.#card.classList.toggle('open', this.#changes.length > 0);
    this.#list.replaceChildren(...this.#changes.map((change) => make('li', {}, inWords(change))));
  }

  /** @param {string} said */
  #say(said) {
    for (const pane of this.#panes) pane.busy(false);
    this.#said.textContent = said;
  }

  /** @param {AbortSignal} signal */
  async #translate(signal) {
    const original = this.#original;
    if (!original || this.#changes.length === 0) return this.#say('');
    for (const pane of this.#panes) pane.busy(true);
    this.#translator ??= this.#create();
    this.#translator.catch(() => (this.#translator = null)); // one that did not load is loaded again
    const translator = await this.#translator;
    signal.throwIfAborted();
    const { trace, prefix } = original;
    const interventions = this.#changes.map(({ keys, ...change }) => (keys.length > 0 ? { ...change, keys } : change));
    const changed = await translator.trace(trace.source.text, {
      signal,
      prefix: prefix ?? undefined,
      interventions: /** @type {import('../../lib/api/interventions.js').Intervention[]} */ (interventions),
    });
    signal.throwIfAborted();
    const which = this.#explorer.slice ?? { kind: /** @type {const} */ ('alignment'), layer: 0, head: 0 };
    this.#panes[0].show(trace, which);
    this.#panes[1].show(changed, which, (text) => marked(text, trace.target.text));
    align(this.#panes);
    this.#said.textContent = changed.target.text === trace.target.text ? 'The translation is the same.' : '';
  }
}

/** @param {number} a @param {number} b */
const range = (a, b) => Array.from({ length: Math.abs(a - b) + 1 }, (_, i) => Math.min(a, b) + i);

/** People count from 1. @param {Change} change */
function inWords({ kind, attention, layer, head, queries, keys }) {
  const count = (/** @type {string} */ name, /** @type {number[]} */ places) =>
    places.length === 1 ? `${name} ${places[0] + 1}` : `${name}s ${places[0] + 1} to ${places[places.length - 1] + 1}`;
  const what = {
    off: 'is off',
    uniform: 'looks at all alike',
    hide: keys.length > 0 ? `does not see ${count('column', keys)}` : '',
  }[kind];
  const where = queries ? ` in ${count('row', queries)}` : '';
  return `${attention} layer ${layer + 1}, head ${head + 1} ${what}${where}`;
}

/** The words of a text, those marked that are not in another text in this order. @param {string} text @param {string} other @returns {(Node | string)[]} */
export function marked(text, other) {
  const [words, others] = [text, other].map((one) => one.split(/(?<=\s)/));
  const common = commonOf(
    words.map((word) => word.trim()),
    others.map((word) => word.trim()),
  );
  return words.map((word, i) => (common.has(i) ? word : make('mark', {}, word)));
}

/** The places of a longest common subsequence in the first list. @param {string[]} a @param {string[]} b @returns {Set<number>} */
function commonOf(a, b) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j)
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  }
  const places = new Set();
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      places.add(i);
      [i, j] = [i + 1, j + 1];
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) ++i;
    else ++j;
  }
  return places;
}

const kChange = /^(off|uniform|hide)\.(encoder|decoder|cross)\.(\d{1,2})\.(\d{1,2})(?:\.([\d-]*)\.([\d-]+))?$/;

/** Changes in an address: off.cross.2.1, hide.cross.2.1.3-4.2, joined by '*'. Malformed ones are ignored. @param {string | null} said @returns {Change[]} */
export function readChanges(said) {
  const places = (/** @type {string} */ text) => text.split('-').map((place) => Number(place) - 1);
  return (said ?? '')
    .split('*')
    .slice(0, kMost)
    .flatMap((text) => {
      const found = kChange.exec(text);
      if (!found || (found[1] === 'hide') !== (found[6] !== undefined)) return [];
      const [, kind, attention, layer, head, queries, keys] = found;
      const place = /** @type {Change} */ ({
        kind,
        attention,
        layer: Number(layer) - 1,
        head: Number(head) - 1,
        keys: [],
      });
      if (keys) place.keys = ends(places(keys));
      if (queries) place.queries = ends(places(queries));
      const isSound = [place.layer, place.head, ...place.keys, ...(place.queries ?? [])].every((at) => at >= 0);
      return isSound ? [place] : [];
    });
}

/** @param {number[]} places the first and the last */
const ends = ([from, to = from]) => (Math.abs(to - from) < 1000 ? range(from, to) : []);

/** @param {Change[]} changes */
export function writeChanges(changes) {
  const text = (/** @type {number[]} */ places) =>
    [...new Set([places[0], places[places.length - 1]])].map((place) => place + 1).join('-');
  return changes
    .map(({ kind, attention, layer, head, queries, keys }) => {
      const where = [kind, attention, layer + 1, head + 1];
      return [...where, ...(keys.length > 0 ? [queries ? text(queries) : '', text(keys)] : [])].join('.');
    })
    .join('*');
}
