// A row with the words of a text. Each word can be hidden and shown again.

import { make } from '../shared/dom.js';

/** @typedef {import('./hidden.js').Word} Word */

export class WordRow {
  #node;
  #pressed;

  /** @param {HTMLElement} node @param {(word: Word) => void} pressed */
  constructor(node, pressed) {
    this.#node = node;
    this.#pressed = pressed;
    node.addEventListener('keydown', (event) => this.#walk(event));
  }

  /** @param {Word[]} words @param {import('./hidden.js').Hidden} hidden @param {boolean} canHide */
  show(words, hidden, canHide) {
    const buttons = [...this.#node.children];
    const focused = buttons.indexOf(/** @type {Element} */ (document.activeElement));
    const list = /** @type {HTMLElement} */ (this.#node.parentElement);
    list.hidden = !canHide;
    this.#node.replaceChildren(...words.map((word, i) => this.#button(word, i, hidden.at(word.mask))));
    this.#reach(focused < 0 ? 0 : Math.min(focused, words.length - 1), focused >= 0);
  }

  /** @param {Word} word @param {number} index @param {string | null} known what is behind a mask */
  #button(word, index, known) {
    const isHidden = word.mask >= 0;
    const name = isHidden ? `${known ?? 'a word'}, hidden` : word.text;
    const button = make('button', {
      type: 'button',
      'aria-pressed': String(isHidden),
      'aria-label': name,
      tabIndex: -1,
    });
    button.textContent = isHidden ? (known ?? '?') : word.text;
    button.classList.toggle('unknown', isHidden && known === null);
    button.title = isHidden ? (known === null ? 'see its guesses' : 'show it again') : 'hide it';
    button.addEventListener('click', () => {
      this.#reach(index, true);
      this.#pressed(word);
    });
    return button;
  }

  /** Sets the word of the row that Tab focuses. @param {number} index @param {boolean} focus */
  #reach(index, focus) {
    const buttons = /** @type {HTMLElement[]} */ ([...this.#node.children]);
    buttons.forEach((button, i) => (button.tabIndex = i === index ? 0 : -1));
    if (focus) buttons[index]?.focus();
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    const buttons = [...this.#node.children];
    const at = buttons.indexOf(/** @type {Element} */ (event.target));
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined || !buttons[next]) return;
    event.preventDefault();
    this.#reach(next, true);
  }
}
