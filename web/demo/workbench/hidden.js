// The words of a text, some of them behind masks. Words that were hidden here can be shown again.

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

/** The words behind the masks of a text, if known. */
export class Hidden {
  #text = '';
  /** @type {Word[]} */
  #masks = [];
  /** The word behind each mask. @type {(string | null)[]} */
  #known = [];

  /**
   * Follows a changed text: the words behind unchanged masks stay known. @param {string} text @param {Word[]} words of
   * it
   */
  follow(text, words) {
    const masks = words.filter(({ mask }) => mask >= 0);
    const { before, after } = unchanged(this.#text, text);
    const longer = text.length - this.#text.length;
    this.#known = masks.map(({ begin, end }) => {
      const was = end <= before ? begin : begin >= text.length - after ? begin - longer : NaN;
      return this.at(this.#masks.findIndex((mask) => mask.begin === was));
    });
    this.#masks = masks;
    this.#text = text;
  }

  /** @param {number} mask @returns {string | null} */
  at(mask) {
    return this.#known[mask] ?? null;
  }

  /** @param {number} mask @param {string} word that is behind it */
  learn(mask, word) {
    if (mask < this.#known.length) this.#known[mask] = word;
  }

  /** The text with the hidden words in it. @param {string} text @param {Word[]} words of it */
  restored(text, words) {
    return words
      .filter(({ mask }) => mask >= 0 && this.at(mask) !== null)
      .reduceRight((whole, { begin, end, mask }) => whole.slice(0, begin) + this.at(mask) + whole.slice(end), text);
  }
}

/** The lengths of the common beginning and end of two texts. @param {string} a @param {string} b */
function unchanged(a, b) {
  const most = Math.min(a.length, b.length);
  let before = 0;
  while (before < most && a[before] === b[before]) ++before;
  let after = 0;
  while (after < most - before && a.at(-1 - after) === b.at(-1 - after)) ++after;
  return { before, after };
}
