// The two texts: the source, its translation, and the current sentence.

import { splitSentences } from '../../lib/index.js';
import { scrollTogether } from './scrolling.js';
import { bindTextTools } from './text-tools.js';

/** @typedef {import('../shared/marks.js').Marks} Marks */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {{text: string, sentence: boolean}} Part */

/**
 * Dispatches `input` when a text or the caret changed, `choose` when a sentence or an example was chosen, `undo` when the
 * reader undoes the last choice, and `word` (detail: a point in window coordinates) when a word of the translation was
 * clicked.
 */
export class Texts extends EventTarget {
  #marks;
  #source;
  #target;
  #mirror;
  #which;
  #own;
  /** Examples of all source languages. @type {HTMLButtonElement[]} */
  #examples;
  #ownSwitch;
  #undo;
  /** What the target pieces' bars mean, or the scores of the reader's own translation and of the model's. */
  #facts;
  #meaning;
  #tools;
  #reveal;
  /** The sentence that was last scrolled into view. */
  #revealed = -1;
  /** The sentence whose translation the reader writes. @type {string | null} */
  #ownOf = null;
  /** The sentence whose translation was clicked. It is the current one until the caret moves. */
  #clicked = -1;
  /** Where a word of another sentence was clicked, until that sentence has its trace. @type {{x: number, y: number} | null} */
  #wordAt = null;
  /** @type {Part[]} */
  #parts = [];
  #active = -1;

  /** @param {ParentNode} root @param {Marks} marks */
  constructor(root, marks) {
    super();
    const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.#marks = marks;
    this.#source = /** @type {HTMLTextAreaElement} */ (find('#source'));
    this.#target = /** @type {HTMLOutputElement} */ (find('#target'));
    this.#mirror = /** @type {HTMLElement} */ (find('#mirror'));
    this.#which = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('.which'));
    this.#own = /** @type {HTMLTextAreaElement} */ (find('#own'));
    this.#ownSwitch = /** @type {HTMLButtonElement} */ (find('#own-switch'));
    this.#undo = /** @type {HTMLButtonElement} */ (find('#undo'));
    this.#facts = /** @type {HTMLElement} */ (find('#target-facts'));
    this.#meaning = this.#facts.textContent ?? '';
    marks.listen(this.#source, 'source');
    marks.listen(this.#target, 'target');
    this.#tools = bindTextTools(root, () => this.choose(''));
    this.#reveal = scrollTogether(this.#source, this.#mirror, this.#target);
    this.#reflect();
    this.#examples = [...find('#examples').children];
    for (const chip of this.#examples) chip.addEventListener('click', () => this.choose(chip.textContent ?? ''));
    this.#listen();
  }

  get text() {
    return this.#source.value;
  }

  /** @param {Record<'source' | 'target', {tag: string, name: string}>} languages */
  set languages({ source, target }) {
    this.#source.lang = source.tag;
    for (const label of this.#source.labels) label.textContent = source.name;
    this.#target.lang = this.#own.lang = target.tag;
    this.#target.ariaLabel = `${target.name} translation`;
    this.#own.ariaLabel = `Your own ${target.name} translation`;
    for (const chip of this.#examples) chip.hidden = chip.lang !== source.tag;
  }

  /** The current sentence, from 0; -1 if there is only one. */
  get sentence() {
    return this.#count > 1 ? this.#active : -1;
  }

  /** @param {string} text @param {number} [sentence] the current sentence; -1: the first */
  set(text, sentence = -1) {
    this.#source.value = text;
    this.#source.setSelectionRange(0, 0);
    this.#clicked = sentence;
    this.#wordAt = null;
    this.#parts = [];
    this.#revealed = -1;
    this.#reflect();
    this.busy(true);
  }

  /** The translation of the whole text. */
  get translation() {
    return this.#target.textContent ?? '';
  }

  get #count() {
    return this.#parts.filter((part) => part.sentence).length;
  }

  #listen() {
    this.#source.addEventListener('input', () => this.#moved());
    document.addEventListener('selectionchange', () => document.activeElement === this.#source && this.#moved());
    this.#own.addEventListener('input', () => this.#say('input'));
    this.#ownSwitch.addEventListener('click', () => {
      this.#translateOwn(this.#ownOf === null ? (this.#activePart()?.text ?? null) : null);
      this.#say('choose');
    });
    this.#undo.addEventListener('click', () => {
      this.#source.focus({ preventScroll: true }); // the button disappears
      this.busy(true);
      this.dispatchEvent(new Event('undo'));
    });
    this.#target.addEventListener('click', (event) => this.#pressed(event));
  }

  /** Takes a click on the translation. The word is reported once its sentence is the current one. @param {MouseEvent} event */
  #pressed({ target, clientX: x, clientY: y }) {
    const { sentence } = /** @type {HTMLElement} */ (target).dataset;
    if (sentence === undefined || getSelection()?.isCollapsed === false) return; // a part was selected for copying
    this.#wordAt = { x, y };
    if (Number(sentence) === this.#active) return this.#sayWord();
    this.#clicked = Number(sentence);
    this.#say('choose');
  }

  #sayWord() {
    const detail = this.#wordAt;
    this.#wordAt = null;
    if (detail) this.dispatchEvent(new CustomEvent('word', { detail }));
  }

  /** Replaces the reader's translation by the model's. */
  endOwn() {
    if (this.#ownOf !== null) this.#translateOwn(null);
  }

  /** @param {string | null} sentence the sentence whose translation the reader writes from now on; null: none */
  #translateOwn(sentence) {
    this.#ownOf = sentence;
    const writes = sentence !== null;
    if (writes) this.#own.value = this.#target.querySelector(`[data-sentence="${this.#active}"]`)?.textContent ?? '';
    if (writes) this.#own.style.minHeight = `${this.#target.offsetHeight}px`; // so that nothing below it moves
    this.#ownSwitch.setAttribute('aria-pressed', String(writes));
    this.#target.hidden = writes;
    this.#own.hidden = !writes;
    if (writes) this.#own.focus();
  }

  #activePart() {
    return this.#parts.filter((part) => part.sentence)[this.#active];
  }

  #moved() {
    this.#clicked = -1;
    this.#wordAt = null;
    if (this.#mirror.textContent !== `${this.#source.value}\n`) this.#reflect();
    this.#say('input');
  }

  /** @param {string} text the new text, chosen by the reader */
  choose(text) {
    this.set(text);
    this.#say('choose');
  }

  /** Copies the text to the mirror, which lies under the text field and has the marks. All marks are removed. */
  #reflect() {
    this.#marks.show([]);
    this.#mirror.textContent = `${this.#source.value}\n`;
    this.#tools.show();
  }

  /** @param {'input' | 'choose'} type */
  #say(type) {
    this.busy(true);
    this.dispatchEvent(new Event(type));
  }

  /** @param {boolean} working whether the translation in view is not yet that of the text */
  busy(working) {
    this.#target.setAttribute('aria-busy', String(working));
  }

  /**
   * Reads the current text.
   * @param {number} longest UTF-16 units of a sentence
   * @returns {{sentences: string[], active: number, own: string | null}} own: the reader's translation of the active sentence
   */
  read(longest) {
    this.#parts = splitSentences(this.#source.value, this.#source.lang, longest);
    const sentences = this.#parts.filter((part) => part.sentence).map((part) => part.text);
    this.#active = this.#clicked >= 0 && this.#clicked < sentences.length ? this.#clicked : this.#underCaret();
    if (this.#ownOf !== null && sentences[this.#active] !== this.#ownOf) this.endOwn();
    return { sentences, active: this.#active, own: this.#ownOf === null ? null : this.#own.value };
  }

  /** The sentence at the caret, or the one before it; -1 if there is none. */
  #underCaret() {
    let [end, index] = [0, -1];
    for (const part of this.#parts) {
      if (index >= 0 && end >= this.#source.selectionStart) break;
      if (part.sentence) ++index;
      end += part.text.length;
    }
    return index;
  }

  /** Shows the session's translations of the text. @param {Session} session */
  show(session) {
    const wasSeen = this.#isSeen();
    // An element for each sentence, with its warnings.
    const count = this.#count;
    let index = -1;
    const nodes = this.#parts.map((part) => {
      if (!part.sentence) return part.text;
      const span = sentenceSpan(session.textOf(part.text) ?? '…', ++index, count > 1 && index === this.#active);
      const note = session.noteOf(part.text);
      if (note) span.dataset.note = note;
      span.classList.toggle('cut', session.isCut(part.text));
      return span;
    });
    this.#target.replaceChildren(...nodes);
    // The tools, and the marks of the active sentence.
    this.#ownSwitch.disabled = count === 0;
    this.#tools.show();
    const active = this.#activePart();
    this.#undo.hidden = !active || this.#ownOf !== null || !session.prefixOf(active.text);
    for (const which of this.#which) which.textContent = count > 1 ? `sentence ${this.#active + 1} of ${count}` : '';
    this.#facts.textContent = (active && session.comparisonOf(active.text)) ?? this.#meaning;
    if (wasSeen) this.#revealed = -1; // translations that came before it have moved it
    this.#mark(session);
  }

  /** Whether the translation of the current sentence is in its pane, or begins or ends there. */
  #isSeen() {
    const box = this.#target.querySelector('.active')?.getBoundingClientRect();
    const pane = this.#target.getBoundingClientRect();
    return box !== undefined && box.bottom > pane.top && box.top < pane.bottom;
  }

  /** Shows no translation. */
  blank() {
    this.endOwn();
    this.#target.replaceChildren();
    this.#ownSwitch.disabled = this.#undo.hidden = true;
    for (const which of this.#which) which.textContent = '';
    this.#facts.textContent = this.#meaning;
    this.#marks.show([]);
    this.#tools.show();
  }

  /**
   * Shows the two texts of a trace from a file.
   * @param {import('../../view/trace.js').Side} source
   * @param {import('../../view/trace.js').Side} target
   */
  showSaved(source, target) {
    this.endOwn();
    this.#facts.textContent = this.#meaning;
    this.set(source.text);
    this.#active = 0;
    const span = sentenceSpan(target.text, 0, false);
    this.#target.replaceChildren(span);
    this.#ownSwitch.disabled = this.#undo.hidden = true;
    for (const which of this.#which) which.textContent = '';
    this.#marks.show([
      { name: 'source', side: source, node: /** @type {Text} */ (this.#mirror.firstChild), begin: 0 },
      ...(span.firstChild
        ? [
            {
              name: /** @type {const} */ ('target'),
              side: target,
              node: /** @type {Text} */ (span.firstChild),
              begin: 0,
            },
          ]
        : []),
    ]);
    this.busy(false);
  }

  /** Marks the active sentence in both texts, and scrolls to it. @param {Session} session */
  #mark(session) {
    // The active sentence, and the nodes of its texts.
    let [begin, index] = [0, -1];
    const part = this.#parts.find(({ text, sentence }) => {
      if (sentence && ++index === this.#active) return true;
      begin += text.length;
      return false;
    });
    const trace = part && session.traceOf(part.text);
    const source = /** @type {Text | null} */ (this.#mirror.firstChild);
    const target = /** @type {Text | null} */ (
      this.#target.querySelector(`[data-sentence="${index}"]`)?.firstChild ?? null
    );
    // It is scrolled into view once.
    if (part && source && target && this.#revealed !== this.#active) {
      this.#revealed = this.#active;
      const range = document.createRange();
      range.setStart(source, Math.min(begin, source.length));
      range.setEnd(source, Math.min(begin + part.text.length, source.length));
      this.#reveal({ source: range, target: /** @type {Element} */ (target.parentElement) });
    }
    // Its pieces are marked once it has a trace.
    if (!trace || !source || !target) return this.#marks.show([]);
    this.#marks.show([
      { name: 'source', side: trace.source, node: source, begin },
      { name: 'target', side: trace.target, node: target, begin: 0 },
    ]);
    this.#sayWord();
  }
}

/** @param {string} text @param {number} index @param {boolean} active */
function sentenceSpan(text, index, active) {
  const span = document.createElement('span');
  span.textContent = text;
  span.dataset.sentence = String(index);
  if (active) span.className = 'active';
  return span;
}
