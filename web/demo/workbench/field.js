// A text field. The selected pieces of its traced text are marked in it.

/** @typedef {import('../shared/marks.js').Marks} Marks */
/** @typedef {import('../../view/trace.js').Side} Side */
/** @typedef {import('../../view/trace.js').SideName} SideName */

/** Dispatches `input` when the reader changed the text. */
export class Field extends EventTarget {
  #area;
  #mirror;
  #marks;
  #name;

  /** @param {ParentNode} root with a text field over a mirror @param {Marks} marks @param {SideName} name of the side of its text */
  constructor(root, marks, name) {
    super();
    this.#area = /** @type {HTMLTextAreaElement} */ (root.querySelector('textarea'));
    this.#mirror = /** @type {HTMLElement} */ (root.querySelector('.mirror'));
    this.#marks = marks;
    this.#name = name;
    marks.listen(this.#area, name);
    this.#area.addEventListener('scroll', () => (this.#mirror.scrollTop = this.#area.scrollTop));
    this.#area.addEventListener('input', () => {
      this.#reflect();
      this.dispatchEvent(new Event('input'));
    });
    this.#reflect();
  }

  get text() {
    return this.#area.value;
  }
  set text(text) {
    if (text === this.#area.value) return;
    this.#area.value = text;
    this.#reflect();
  }

  /** Scrolls to the end of the text. */
  scrollToEnd() {
    this.#area.scrollTop = this.#area.scrollHeight;
  }

  /** @param {boolean} working whether the results in view are not those of the text */
  busy(working) {
    this.#area.setAttribute('aria-busy', String(working));
  }

  /** The node of the text, for marking ranges. */
  get node() {
    return /** @type {Text} */ (this.#mirror.firstChild);
  }

  /** Sets the pieces of the text, which are marked when they are selected. @param {Side | null} side */
  mark(side) {
    if (side && side.text === this.text) this.#marks.show([{ name: this.#name, side, node: this.node, begin: 0 }]);
    else this.#marks.show([]);
  }

  /** Colours the text that the model wrote. @param {string | null} from the text before it; null: the model wrote nothing */
  markWritten(from) {
    if (typeof Highlight !== 'function') return;
    const highlight = new Highlight();
    if (from !== null && this.text.startsWith(from) && from.length < this.text.length) {
      const range = document.createRange();
      range.setStart(this.node, from.length);
      range.setEnd(this.node, this.text.length);
      highlight.add(range);
    }
    CSS.highlights.set('qkv-written', highlight);
  }

  #reflect() {
    this.#marks.show([]);
    this.#mirror.textContent = `${this.#area.value}\n`;
  }
}
