// The list of examples of a model, with its output for each. Mistakes are marked.

import { make } from '../shared/dom.js';

/** @typedef {import('./tasks.js').Pair} Pair */

/** Three unseen pairs: a short, a medium and a long one. @param {Pair[]} unseen */
export function chosenOf(unseen) {
  const sorted = unseen.toSorted((a, b) => a[0].length - b[0].length || (a[0] < b[0] ? -1 : 1));
  const at = [0.25, 0.6, 0.97].map((share) => sorted[Math.floor(share * sorted.length)]);
  return [...new Set(at)];
}

/** The letters of the output. Letters that differ from the right answer are marked. @param {string} written @param {string} wanted */
function marked(written, wanted) {
  const right = [...wanted];
  const letters = [...written].map((letter, i) => (letter === right[i] ? letter : make('s', {}, letter)));
  if (written.length < wanted.length) letters.push(make('s', {}, '·'.repeat(right.length - [...written].length)));
  return letters;
}

export class Examples {
  node = make('div.examples-list', { role: 'radiogroup' });
  #buttons = /** @type {HTMLElement[]} */ ([]);
  #chosen;

  /** @param {string} name of the model @param {(index: number) => void} chosen */
  constructor(name, chosen) {
    this.#chosen = chosen;
    this.node.setAttribute('aria-label', `Examples, ${name}`);
    this.node.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      const at = this.#buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
      if (!step || at < 0) return;
      event.preventDefault();
      const next = (at + step + this.#buttons.length) % this.#buttons.length;
      this.#buttons[next].focus();
      this.#chosen(next);
    });
  }

  /** @param {{pair: Pair, written: string | null}[]} examples `written`: null: the model wrote nothing yet @param {number} chosen */
  show(examples, chosen) {
    while (this.#buttons.length > examples.length) this.#buttons.pop()?.remove();
    examples.forEach(({ pair: [source, wanted], written }, i) => {
      const button = (this.#buttons[i] ??= this.#add(i));
      const isRight = written === wanted;
      button.setAttribute('aria-checked', String(i === chosen));
      button.tabIndex = i === chosen ? 0 : -1;
      button.classList.toggle('right', isRight);
      const [from, , to, mark] = /** @type {HTMLCollectionOf<HTMLElement>} */ (button.children);
      from.textContent = source;
      to.replaceChildren(...(written === null ? ['…'] : marked(written, wanted)));
      mark.textContent = written === null ? '' : isRight ? '✓' : '✗';
      mark.title = isRight ? 'right' : `right is ${wanted}`;
    });
  }

  /** @param {number} index */
  #add(index) {
    const parts = [
      make('span.source'),
      make('span.qkv-hidden', {}, ' becomes '),
      make('span.written'),
      make('span.tick'),
    ];
    const button = make('button', { type: 'button', role: 'radio' }, ...parts);
    button.addEventListener('click', () => this.#chosen(index));
    this.node.append(button);
    return button;
  }
}
