// The words of a text, some of them hidden behind masks. What was hidden here may come back.

const kWord = /[\p{L}\p{N}]+(?:[’'-][\p{L}\p{N}]+)*/u;

/** @typedef {{text: string, begin: number, end: number, mask: number}} Word `mask`: which of the masks it is; -1: none */

/** The words of a text, its masks among them. @param {string} text @param {string} mask as the model writes one; '': none @returns {Word[]} */
export function wordsOf(text, mask) {
  const escaped = mask.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(mask ? `${escaped}|${kWord.source}` : kWord.source, 'gu');
  let masks = 0;
  return Array.from(text.matchAll(pattern), (found) => ({
    text: found[0],
    begin: found.index,
    end: found.index + found[0].length,
    mask: found[0] === mask ? masks++ : -1,
  }));
}

/** What stood where the masks of a text are, as far as it is known. */
export class Hidden {
  /** @type {(string | null)[]} */
  #words = [];

  /** The reader changed the text: with other masks nothing is known of them. @param {number} masks in the text */
  keep(masks) {
    if (this.#words.length !== masks) this.#words = Array(masks).fill(null);
  }

  /** @param {number} mask @returns {string | null} */
  at(mask) {
    return this.#words[mask] ?? null;
  }

  /** @param {number} mask that it is now @param {string | null} word */
  add(mask, word) {
    this.#words.splice(mask, 0, word);
  }

  /** @param {number} mask that is no more */
  remove(mask) {
    this.#words.splice(mask, 1);
  }

  /** The text with the hidden words in it. @param {string} text @param {Word[]} words of it */
  restored(text, words) {
    return words
      .filter(({ mask }) => mask >= 0 && this.at(mask) !== null)
      .reduceRight((whole, { begin, end, mask }) => whole.slice(0, begin) + this.at(mask) + whole.slice(end), text);
  }
}
