// The words of a text, and the masks that hide some of them. A word that the reader hid can be shown again.

const kWord = /[\p{L}\p{N}]+(?:[’'-][\p{L}\p{N}]+)*/u;

/** @typedef {{text: string, begin: number, end: number, mask: number}} Word `mask`: the number of the mask; -1: it is no mask */

/** The words and masks of a text. @param {string} text @param {string} mask the mask token of the model; '': none @returns {Word[]} */
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
   * Takes a changed text. The words behind masks that did not change stay known.
   * @param {string} text
   * @param {Word[]} words of the text
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

  /** The text with the hidden words in place of the masks. @param {string} text @param {Word[]} words of the text */
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
