// Shows a notice if the text looks like another language than the source language, and which letters decided that. The
// detector is loaded when the reader first types.

import { languageName } from './model-picker.js';

/** The notice needs at least this confidence in the other language, and at most this confidence in the source language. */
const kSure = 0.8;
const kUnlikely = 0.05;
/** A shorter text gets no notice; letters. */
const kFewest = 6;
/** How much of the text the notice shows, in UTF-16 units. */
const kShown = 80;

const base = (/** @type {string} */ tag) => new Intl.Locale(tag).language;

export class SourceLanguage {
  #notice;
  #name;
  #letters;
  #offer;
  #models;
  /** The language in the notice; null: there is none. @type {string | null} */
  language = null;

  /**
   * @param {ParentNode} root
   * @param {{has: (from: string) => boolean, choose: (from: string) => unknown}} models `has`: whether the page has a model
   *   from a language; `choose` is called when the reader wants to translate from it
   */
  constructor(root, models) {
    this.#models = models;
    const find = (/** @type {string} */ query) => /** @type {HTMLElement} */ (root.querySelector(query));
    this.#notice = find('#looks');
    this.#name = find('#looks-name');
    this.#letters = find('#looks-letters');
    this.#offer = find('#looks-offer');
    this.#offer.addEventListener('click', () => this.language && models.choose(this.language));
  }

  /**
   * @param {string} text
   * @param {string} source the tag of the source language
   * @param {AbortSignal} signal
   */
  async check(text, source, signal) {
    const { detectLanguage, languages } = await import('../../lib/detect/index.js');
    const { candidates, letters = [] } = await detectLanguage(text, { top: languages.length, letters: true, signal });
    signal.throwIfAborted();
    const [first] = candidates;
    const likely = candidates.find(({ language }) => base(language) === base(source))?.confidence ?? 0;
    const isOther = !!first && first.confidence > kSure && base(first.language) !== base(source) && likely < kUnlikely;
    const isKnown = candidates.some(({ language }) => base(language) === base(source));
    if (isOther && isKnown && (text.match(/\p{L}/gu)?.length ?? 0) >= kFewest)
      this.#show(first.language, text, letters);
    else this.hide();
  }

  hide() {
    this.language = null;
    this.#notice.hidden = true;
  }

  /** @param {string} language @param {string} text @param {ArrayLike<number>} letters */
  #show(language, text, letters) {
    this.language = language;
    this.#name.textContent = languageName(language);
    this.#offer.textContent = `Translate from ${languageName(language)}${this.#models.has(language) ? '' : '…'}`;
    this.#letters.lang = language;
    this.#letters.replaceChildren(...underlined(text.slice(0, kShown), letters));
    this.#notice.hidden = false;
  }
}

/** The text, with each letter underlined by its share in the decision. @param {string} text @param {ArrayLike<number>} letters */
function underlined(text, letters) {
  const most = Math.max(...Array.from(letters));
  return Array.from(text.matchAll(/\P{M}\p{M}*/gsu), ({ 0: part, index }) => {
    const span = document.createElement('span');
    span.textContent = part;
    span.style.setProperty('--share', String(letters[index] / most || 0));
    return span;
  });
}
