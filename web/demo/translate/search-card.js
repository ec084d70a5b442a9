// The search card: the tree of the beam search for the translation. It is computed when the card becomes visible.

import { lookOf, treeSvg } from '../../view/index.js';
import { LatestRun } from '../shared/latest.js';
import { svg, toPng } from '../shared/download.js';
import { bindSave, json } from '../shared/save.js';

/** @typedef {import('../../view/tree-layout.js').Search} Search */
/** @typedef {(beam: number, signal: AbortSignal) => Promise<Search>} Find */

/** Dispatches `choose` (detail: the ids of the pieces of the new prefix), and `beam` when the reader chose another beam. */
export class SearchCard extends EventTarget {
  #card;
  #tree;
  #message;
  #beams;
  /** @type {Find | null} */
  #find = null;
  #isVisible = false;
  #isStale = false;
  /** The model's own beam. */
  #own = 0;
  /** @type {LatestRun} */
  #run;

  /** @param {ParentNode} root @param {(error: unknown) => void} failed */
  constructor(root, failed) {
    super();
    const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.#card = /** @type {HTMLElement} */ (find('#search'));
    this.#tree = /** @type {import('../../view/tree.js').TreeElement} */ (find('qkv-tree'));
    this.#message = /** @type {HTMLElement} */ (find('#search-message'));
    this.#beams = /** @type {HTMLFieldSetElement} */ (find('#beam'));
    this.#run = new LatestRun((signal) => this.#search(signal), failed);
    // What the reader does with the tree and the beam.
    this.#beams.addEventListener('change', () => {
      this.#refresh();
      this.dispatchEvent(new Event('beam'));
    });
    this.#tree.addEventListener('qkv-point', (event) => this.#say(/** @type {CustomEvent} */ (event).detail));
    this.#tree.addEventListener('qkv-choose', (event) => {
      this.dispatchEvent(new CustomEvent('choose', { detail: /** @type {CustomEvent} */ (event).detail }));
    });
    // The search runs when the card is visible.
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#isVisible = isIntersecting;
      if (isIntersecting && this.#isStale) this.#run.request();
    }).observe(this.#card);
    // The files that can be saved.
    const of = (/** @type {(search: Search, white: boolean) => Blob | Promise<Blob>} */ make) => {
      return (/** @type {boolean} */ white) => this.#tree.search && make(this.#tree.search, white);
    };
    bindSave(find('#save-search'), {
      svg: { name: 'search.svg', make: of((search, white) => svg(treeSvg(search, lookOf(white)))) },
      png: { name: 'search.png', make: of((search, white) => toPng(treeSvg(search, lookOf(white)))) },
      json: { name: 'search.json', make: of((search) => json(search)) },
    });
  }

  /** How many steps of the search are in view; null: all. @param {number | null} steps */
  set steps(steps) {
    this.#tree.steps = steps;
  }

  /** The beam; null: the model's own. @returns {number | null} */
  get beam() {
    const chosen = /** @type {HTMLInputElement | null} */ (this.#beams.querySelector(':checked'));
    const beam = chosen ? Number(chosen.value) : this.#own;
    return beam === this.#own ? null : beam;
  }
  set beam(beam) {
    for (const radio of this.#beams.querySelectorAll('input'))
      radio.checked = Number(radio.value) === (beam ?? this.#own);
    this.#refresh();
  }

  /** @param {number} own the beam of the model that was loaded */
  ready(own) {
    const { beam } = this;
    this.#own = own;
    this.beam = beam;
  }

  /** @param {Find | null} find searches for the sentence in view; null: there is nothing to search */
  show(find) {
    this.#find = find;
    this.#refresh();
  }

  #refresh() {
    this.#isStale = true;
    this.#run.cancel();
    this.#card.setAttribute('aria-busy', 'true');
    if (!this.#find) this.#draw(null);
    else if (this.#isVisible) this.#run.request();
  }

  /** @param {AbortSignal} signal */
  async #search(signal) {
    const find = this.#find;
    if (!find) return;
    const found = await find(this.beam ?? this.#own, signal);
    signal.throwIfAborted();
    this.#draw(found);
  }

  /** @param {Search | null} search */
  #draw(search) {
    this.#isStale = false;
    this.#tree.search = search;
    this.#card.setAttribute('aria-busy', 'false');
    this.#say('');
  }

  /** @param {string} text of the node under the pointer; '': the summary of the search is shown */
  #say(text) {
    const { search } = this.#tree;
    this.#message.textContent =
      text || (search ? summary(search) : 'The search is shown here once there is a translation.');
  }
}

/** @param {Search} search */
function summary({ tree, hypotheses, warnings }) {
  const finals = hypotheses.length === 1 ? '1 final translation' : `${hypotheses.length} final translations`;
  const standIns = warnings?.includes('copied')
    ? ' They are as the model wrote them, with stand-ins for what is carried through.'
    : '';
  return `${tree?.pieces.length ?? 0} pieces were kept on the way to ${finals}. Point at one for its numbers.${standIns}`;
}
