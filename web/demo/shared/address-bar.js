// Writes what is in view to the page's address, so that a link restores it.

import { kKindNames } from './explorer.js';
import { currentView } from './view-address.js';

/** @typedef {import('./explorer.js').ViewState} ViewState */
/** @typedef {import('../../view/trace.js').Kind} Kind */

const kPause = 400; // browsers refuse addresses that change too often

/** The longest text that an address may hold, in UTF-16 units. */
export const kLongestText = 5000;

export class AddressBar {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** What is written after the pause; null: nothing is left to write. @type {{address: string, own: string | null} | null} */
  #due = null;

  static get view() {
    return currentView();
  }

  /**
   * Writes a hash to the address, after a pause.
   * @param {string} hash
   * @param {boolean} [step] true: at once, as a new entry of the history, which Back undoes
   * @param {string | null} [own] the hash that Back and reloading restore; it is not in the address. null: the same hash
   */
  note(hash, step = false, own = null) {
    const address = hash || location.pathname + location.search;
    if (step) {
      this.settle(); // Back returns to this state
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

/**
 * The view in an address: kind=cross&layer=2&head=1&view=lines&scale=row.
 * @param {URLSearchParams} params
 * @param {Kind} first the kind if the address has none
 * @returns {ViewState}
 */
export function readViewState(params, first) {
  const [layer, head] = [indexIn(params.get('layer')), indexIn(params.get('head'))];
  return {
    kind: kKindNames.find((kind) => kind === params.get('kind')) ?? first,
    head: layer >= 0 && head >= 0 ? { layer, head } : null,
    view: params.get('view') === 'lines' ? 'lines' : 'matrix',
    scaling: params.get('scale') === 'row' ? 'row' : 'absolute',
  };
}

/** @param {URLSearchParams} params @param {ViewState} viewState @param {Kind} first */
export function writeViewState(params, { kind, head, view, scaling }, first) {
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

/** The parameters with a '#' before them; '' if there are none. @param {URLSearchParams} params */
export function hashOf(params) {
  const hash = params.toString();
  return hash && `#${hash}`;
}

/** An index from a number in an address, which counts from 1. @param {string | null} number @returns {number} from 0; -1: none */
export const indexIn = (number) => (number !== null && /^[1-9]\d{0,3}$/.test(number) ? Number(number) - 1 : -1);
