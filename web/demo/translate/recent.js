// Recent translations. They are kept on this device, and only if the reader switches it on.

import { make } from '../shared/dom.js';
import { bindMenu } from '../shared/download.js';

/** @typedef {{source: string, target: string}} Kept */

const kKey = 'qkv-recent';
const kMost = 20;
const kSettled = 1500; // ms without a change, before a translation is kept

/** Dispatches `choose` (detail: a source text). */
export class Recent extends EventTarget {
  #menu;
  #switch;
  #list;
  #forget;
  /** The entry of the text that is being typed: newer versions replace it. @type {Kept | null} */
  #draft = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {ParentNode} root */
  constructor(root) {
    super();
    const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.#menu = /** @type {HTMLDetailsElement} */ (find('#recent'));
    this.#switch = /** @type {HTMLInputElement} */ (find('#recent-keep'));
    this.#list = /** @type {HTMLElement} */ (find('#recent-list'));
    this.#forget = /** @type {HTMLButtonElement} */ (find('#recent-forget'));
    bindMenu(this.#menu);
    this.#switch.addEventListener('change', () => this.#write(this.#switch.checked ? [] : null));
    this.#forget.addEventListener('click', () => this.#write([]));
    this.#show();
  }

  /** To be called when a new text begins: the entry of the earlier text stays. */
  begin() {
    this.#draft = null;
  }

  /** @param {string} source @param {string} target the translation in view */
  note(source, target) {
    clearTimeout(this.#timer);
    if (!this.#switch.checked || source.trim() === '') return;
    this.#timer = setTimeout(() => {
      const kept = { source, target };
      const others = (read() ?? []).filter(
        (other) => other.source !== source && other.source !== /** @type {any} */ (this.#draft)?.source,
      );
      this.#draft = kept;
      this.#write([kept, ...others].slice(0, kMost));
    }, kSettled);
  }

  /** @param {Kept[] | null} kept null: nothing is kept from now on */
  #write(kept) {
    try {
      if (kept) localStorage.setItem(kKey, JSON.stringify(kept));
      else localStorage.removeItem(kKey);
    } catch {
      // The page may store nothing: the switch moves back.
    }
    this.#show();
  }

  #show() {
    const kept = read();
    this.#switch.checked = kept !== null;
    this.#forget.hidden = !kept?.length;
    this.#list.replaceChildren(...(kept ?? []).map((one) => make('li', {}, this.#button(one))));
  }

  /** @param {Kept} kept */
  #button({ source, target }) {
    const button = make('button', { type: 'button' }, make('span', {}, source), ' ', make('small', {}, target));
    button.addEventListener('click', () => {
      this.#menu.open = false;
      this.dispatchEvent(new CustomEvent('choose', { detail: source }));
    });
    return button;
  }
}

/** @returns {Kept[] | null} null: the reader did not ask to keep any */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(kKey) ?? 'null');
    const isKept = (/** @type {any} */ one) => typeof one?.source === 'string' && typeof one?.target === 'string';
    return Array.isArray(kept) ? kept.filter(isKept) : null;
  } catch {
    return null;
  }
}
