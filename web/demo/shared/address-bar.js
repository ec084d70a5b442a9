// Keeps the view in the page's address, so that a link restores it.

import { kKindNames } from './explorer.js';

/** @typedef {import('./explorer.js').Sight} Sight */
/** @typedef {import('../../view/trace.js').Kind} Kind */

const kPause = 400; // browsers refuse addresses that change too often

/** The longest text that an address may hold, in UTF-16 units. */
export const kLongestText = 5000;

export class AddressBar {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** What to write after the pause; null: it is written already. @type {{address: string, own: string | null} | null} */
  #due = null;

  /** The view of this entry of the history: more than the address says, if more was noted. @returns {string} a hash */
  static get view() {
    return typeof history.state === 'string' ? history.state : location.hash;
  }

  /**
   * @param {string} hash
   * @param {boolean} [step] one that Back undoes
   * @param {string | null} [own] the hash that Back and reloading restore, which others do not see; null: the same
   */
  note(hash, step = false, own = null) {
    const address = hash || location.pathname + location.search;
    if (step) {
      this.settle(); // the state of Back
      history.pushState(own, '', address);
      return;
    }
    clearTimeout(this.#timer);
    this.#due = { address, own };
    this.#timer = setTimeout(() => this.settle(), kPause);
  }

  /** Cancels a pending change of the address. */
  forget() {
    clearTimeout(this.#timer);
    this.#due = null;
  }

  /** Writes at once. */
  settle() {
    clearTimeout(this.#timer);
    if (this.#due !== null) history.replaceState(this.#due.own, '', this.#due.address);
    this.#due = null;
  }
}

/** The view that an address asks for: kind=cross&layer=2&head=1&view=lines&scale=row. @param {URLSearchParams} params @param {Kind} first where it says no kind @returns {Sight} */
export function readSight(params, first) {
  const [layer, head] = [whole(params.get('layer')), whole(params.get('head'))];
  return {
    kind: kKindNames.find((kind) => kind === params.get('kind')) ?? first,
    head: layer >= 0 && head >= 0 ? { layer, head } : null,
    view: params.get('view') === 'lines' ? 'lines' : 'matrix',
    scaling: params.get('scale') === 'row' ? 'row' : 'absolute',
  };
}

/** @param {URLSearchParams} params @param {Sight} sight @param {Kind} first */
export function writeSight(params, { kind, head, view, scaling }, first) {
  if (kind !== first) params.set('kind', kind);
  if (head && kind !== 'alignment') {
    params.set('layer', String(head.layer + 1));
    params.set('head', String(head.head + 1));
  }
  if (view !== 'matrix') params.set('view', view);
  if (scaling !== 'absolute') params.set('scale', scaling);
}

/** The text of an address; null if there is none, or if it is too long. @param {URLSearchParams} params */
export function readText(params) {
  const text = params.get('text');
  return text !== null && text.length <= kLongestText ? text : null;
}

/** The text after the #, or nothing. @param {URLSearchParams} params */
export function hashOf(params) {
  const hash = params.toString();
  return hash && `#${hash}`;
}

/** People count from 1. @param {string | null} number @returns {number} from 0; -1 where there is none */
export const whole = (number) => (number !== null && /^[1-9]\d{0,3}$/.test(number) ? Number(number) - 1 : -1);
