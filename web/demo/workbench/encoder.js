// Runs an encoder on one text. It shows the pieces, the result of the output head, and the attention of each head.

import { encoderTrace } from '../../view/index.js';
import { kOneText } from '../shared/words.js';
import { Hidden, wordsOf } from './hidden.js';
import { answersOf } from './answers.js';
import { WordRow } from './word-row.js';
import { Workbench } from './workbench.js';

/** @typedef {import('../shared/explorer.js').Explorer} Explorer */
/** @typedef {import('../shared/marks.js').Marks} Marks */
/** @typedef {import('../../lib/models/index.js').Encoder} Encoder */
/** @typedef {import('./hidden.js').Word} Word */
/** @typedef {ReturnType<typeof import('../shared/status.js').statusLine>} Status */

const kSpoken = 3; // answers that a screen reader reads

/** @extends {Workbench<Encoder>} */
export class EncoderWorkbench extends Workbench {
  #words;
  #answer;
  #title;
  #which;
  /** Text for screen readers. */
  #spoken;
  #question;
  #hidden = new Hidden();
  /** @type {ReturnType<typeof answersOf> | null} */
  #answers = null;

  /** @param {HTMLElement} root parts/encoder-workbench.html @param {Explorer} explorer @param {Marks} marks the page's @param {Status} status */
  constructor(root, explorer, marks, status) {
    super(root, 'source', explorer, marks, status);
    const { find } = this;
    this.#words = new WordRow(find('.words'), (word) => this.#toggle(word));
    this.#answer = /** @type {HTMLElement} */ (find('.answers .answer'));
    this.#spoken = /** @type {HTMLElement} */ (find('.aloud'));
    this.#which = /** @type {HTMLElement} */ (find('.which-mask'));
    this.#title = /** @type {HTMLElement} */ (find('.answers h2'));
    this.#question = /** @type {HTMLInputElement} */ (find('.question input'));
    this.#question.addEventListener('input', () => this.typed());
  }

  /** The text with the words that were hidden here. */
  get wholeText() {
    return this.#hidden.restored(this.text, this.#wordList);
  }

  /** Sets the words behind the masks of the text. @param {string[]} words */
  set hiddenWords(words) {
    words.forEach((word, i) => this.#hidden.learn(i, word));
    this.#showWords();
  }

  /** @param {Encoder} model reads the text from now on. The earlier model may be destroyed */
  use(model) {
    this.model = model;
    this.explorer.words = kOneText;
    this.#answers = answersOf(model, (text) => this.#fill(text));
    this.#title.textContent = this.#answers.title;
    this.#answer.replaceChildren(this.#answers.node);
    this.#which.replaceChildren(...(this.#answers.which ? [this.#answers.which] : []));
    /** @type {HTMLElement} */ (this.#question.parentElement).hidden = model.info.head !== 'answer';
    this.changed(0);
  }

  get #mask() {
    return this.model?.info.mask ?? '[MASK]';
  }

  get #wordList() {
    return wordsOf(this.text, this.#mask);
  }

  /** @override @param {number} pause */
  changed(pause) {
    super.changed(pause);
    this.#showWords();
  }

  #showWords() {
    const words = this.#wordList;
    this.#hidden.follow(this.text, words);
    this.#words.show(words, this.#hidden, this.model === null || this.model.info.head === 'masked');
  }

  /** Hides a word, or shows it again. @param {Word} word */
  #toggle(word) {
    const { begin, end, mask } = word;
    // A mask: its word is shown again, or the guesses for it if the word is not known.
    if (mask >= 0) {
      const known = this.#hidden.at(mask);
      if (known === null) this.#answers?.choose(mask);
      else this.#replace(word, known);
      return;
    }
    // A word: a mask replaces it.
    const before = this.#wordList.filter((other) => other.mask >= 0 && other.begin < begin).length;
    this.field.text = this.text.slice(0, begin) + this.#mask + this.text.slice(end);
    this.#answers?.choose(before);
    this.changed(0);
    this.#hidden.learn(before, word.text);
    this.#showWords();
    this.dispatchEvent(new Event('choose'));
  }

  /** Replaces a mask by its guess. @param {{mask: number, text: string}} guess */
  #fill({ mask, text }) {
    const word = this.#wordList.find((other) => other.mask === mask);
    if (word) this.#replace(word, text);
  }

  /** @param {Word} word a mask @param {string} text */
  #replace({ begin, end }, text) {
    this.field.text = this.text.slice(0, begin) + text + this.text.slice(end);
    this.changed(0);
    this.dispatchEvent(new Event('choose'));
  }

  /** @override @param {AbortSignal} signal */
  async read(signal) {
    const [model, answers] = [this.model, this.#answers];
    if (!model || !answers) return;
    const text = this.text;
    if (text.trim() === '') {
      this.explorer.show(null, false);
      answers.show(null, text, () => null);
    } else {
      await this.#trace(model, text, signal);
      const second = this.#question.value;
      const result = await answers.ask(text, { signal, question: second });
      signal.throwIfAborted();
      answers.show(result, text, (mask) => this.#hidden.at(mask));
    }
    this.#spoken.textContent = [...this.#answer.querySelectorAll('li')]
      .slice(0, kSpoken)
      .map((item) => Array.from(item.querySelectorAll('.name, .number, b, small'), (one) => one.textContent).join(' '))
      .join(', ');
    this.busy(false);
    this.dispatchEvent(new Event('change'));
  }

  /** @param {Encoder} model @param {string} text @param {AbortSignal} signal */
  async #trace(model, text, signal) {
    const begin = performance.now();
    const traced = await model.trace(text, { signal });
    signal.throwIfAborted();
    const trace = encoderTrace(traced, text);
    this.explorer.show(trace, false);
    this.field.mark(trace.source);
    this.status.ready(model.info, {
      pieces: traced.pieces.length,
      milliseconds: performance.now() - begin,
      note: traced.truncated ? 'its end was not read' : '',
    });
  }
}
