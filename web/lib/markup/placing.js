// Decides where the elements of a text go in its translation. Each element keeps its parent and gets one row of words:
// those that the alignment connects to its own words more than to any others. An element without words goes beside the
// translation of its neighbours.
import { shareOf } from './units.js';

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {import('./blocks.js').Item} Item */
/** @typedef {import('./units.js').Unit} Unit */

/**
 * Where an item is in the translation. `isEmpty`: it has no words there, only a place.
 * @typedef {{begin: number, end: number, isEmpty: boolean}} Place
 */

/** The score of a word that was carried through: for the element that has it, and against the others. */
const kExact = 8;
/**
 * A word must belong to an element by so much more than to any other: less is noise. Chosen on the sentences of
 * tests/markup/links.tsv.
 */
const kDoubt = 0.2;
/** A word is not an element's if less than this share of it belongs there, even if no other element has more. */
const kLeastShare = 0.08;

/**
 * The places of a block's items in its translation.
 * @param {Block} block
 * @param {Unit[]} units of the translation, in order
 * @param {number} length of the translation
 * @returns {Place[]}
 */
export function placesOf(block, units, length) {
  /** @type {Place[]} */
  const places = [];
  const children = childrenOf(block.items);
  const placer = new Placer(block, units, places);
  placer.place({ begin: 0, end: length, isEmpty: false }, [0, block.text.length], children.get(-1) ?? []);
  block.items.forEach((item, index) => {
    if (item.kind === 'element') placer.place(places[index], [item.begin, item.end], children.get(index) ?? []);
  });
  return places;
}

/** @param {Item[]} items @returns {Map<number, number[]>} of each item those in it */
export function childrenOf(items) {
  const children = new Map();
  items.forEach(({ parent }, index) => {
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(index);
  });
  return children;
}

class Placer {
  #block;
  #units;
  #places;

  /** @param {Block} block @param {Unit[]} units @param {Place[]} places */
  constructor(block, units, places) {
    this.#block = block;
    this.#units = units;
    this.#places = places;
  }

  /**
   * Places the items in one element.
   * @param {Place} within of the element
   * @param {[number, number]} source the element's text
   * @param {number[]} indices of the items, in order
   */
  place(within, source, indices) {
    const items = this.#block.items;
    const elements = indices.filter((index) => items[index].kind === 'element');
    this.#placeElements(within, source, elements);
    const taken = elements.map((index) => this.#places[index]).filter(({ isEmpty }) => !isEmpty);
    for (const index of indices) {
      const isLate = items[index].kind !== 'element' || this.#places[index].isEmpty;
      if (isLate) this.#places[index] = this.#beside(items[index], within, source, taken);
    }
  }

  /**
   * The elements with words, the most certain first.
   * @param {Place} within
   * @param {[number, number]} source
   * @param {number[]} indices
   */
  #placeElements(within, source, indices) {
    const all = this.#units.flatMap((unit, i) => (unit.begin >= within.begin && unit.end <= within.end ? [i] : []));
    const only = indices.length === 1 ? this.#block.items[indices[0]] : null;
    if (only && all.length && this.#isWhole(only, source)) {
      this.#places[indices[0]] = this.#placeOf(all[0], all[all.length - 1]);
      return;
    }
    const shares = indices.map((index) => all.map((unit) => this.#share(index, unit)));
    const others = all.map((_, i) => bestTwo(shares.map((share) => share[i])));
    const wanted = indices.map((index, e) => {
      const hasWords = this.#hasWords(index);
      const scores = all.map((unit, i) => this.#score(this.#units[unit], shares[e][i], others[i], hasWords));
      return { index, share: shares[e], scores, hasWords, best: bestRow(scores, () => true) };
    });
    /** @type {Set<number>} places in `all` */
    const taken = new Set();
    for (const { index, share, scores, hasWords } of wanted.toSorted((a, b) => b.best.sum - a.best.sum)) {
      const isFree = (/** @type {number} */ i) => !taken.has(i);
      const isFit = (/** @type {number} */ i) => isFree(i) && (!hasWords || this.#units[all[i]].isWord);
      const row = bestRow(scores, isFree).row ?? bestOne(share, isFit);
      if (!row) {
        this.#places[index] = { begin: within.begin, end: within.begin, isEmpty: true };
        continue;
      }
      const [first, last] = hasWords ? this.#withPunctuation(index, row, all, isFree) : row;
      for (let i = first; i <= last; i++) taken.add(i);
      this.#places[index] = this.#placeOf(all[first], all[last]);
    }
  }

  /** @param {number} first @param {number} last @returns {Place} */
  #placeOf(first, last) {
    return { begin: this.#units[first].begin, end: this.#units[last].end, isEmpty: false };
  }

  /** Whether nothing but white space is around an item. @param {Item} item @param {[number, number]} source */
  #isWhole(item, source) {
    const { text } = this.#block;
    return !/\S/.test(text.slice(source[0], item.begin)) && !/\S/.test(text.slice(item.end, source[1]));
  }

  /** @param {number} index */
  #hasWords(index) {
    const { begin, end } = this.#block.items[index];
    return /[\p{L}\p{N}]/u.test(this.#block.text.slice(begin, end));
  }

  /** @param {number} index of an item @param {number} unit */
  #share(index, unit) {
    const { begin, end } = this.#block.items[index];
    return shareOf(this.#units[unit], begin, end);
  }

  /**
   * How much more a word belongs to an element than outside it, or than to the best other element. Punctuation follows the
   * words.
   * @param {Unit} unit
   * @param {number} share
   * @param {{first: number, second: number, sum: number}} others the best shares of the elements, and their sum
   * @param {boolean} hasWords
   */
  #score({ isWord, isExact }, share, { first, second, sum }, hasWords) {
    if (isExact && (isWord || !hasWords)) return share === 1 ? kExact : -kExact;
    if (hasWords && !isWord) return 0;
    const rival = share === first ? second : first;
    return share - Math.max(rival, 1 - sum) - kDoubt;
  }

  /**
   * A row of words with as much punctuation at its ends as the element has.
   * @param {number} index
   * @param {[number, number]} row
   * @param {number[]} all
   * @param {(i: number) => boolean} isFree
   * @returns {[number, number]}
   */
  #withPunctuation(index, [first, last], all, isFree) {
    const { begin, end } = this.#block.items[index];
    const text = this.#block.text.slice(begin, end).trim();
    const marks = (/** @type {string | undefined} */ run) => (run ?? '').replace(/\s/g, '').length;
    const head = marks(/^[^\p{L}\p{N}]*/u.exec(text)?.[0]);
    const tail = marks(/[^\p{L}\p{N}]*$/u.exec(text)?.[0]);
    const isMark = (/** @type {number} */ i) => i >= 0 && i < all.length && !this.#units[all[i]].isWord;
    while (first < last && isMark(first)) first++;
    while (first < last && isMark(last)) last--;
    for (let i = 0; i < head && isMark(first - 1) && isFree(first - 1); i++) first--;
    for (let i = 0; i < tail && isMark(last + 1) && isFree(last + 1); i++) last++;
    return [first, last];
  }

  /**
   * The place of an item without words: where it was carried to, or beside the word that translates its neighbour.
   * @param {Item} item
   * @param {Place} within
   * @param {[number, number]} source
   * @param {Place[]} taken by its siblings
   * @returns {Place}
   */
  #beside(item, within, source, taken) {
    const exact =
      item.end > item.begin && this.#units.find((unit) => unit.isExact && shareOf(unit, item.begin, item.end));
    const place = exact ? exact.begin : this.#neighbour(item, within, source);
    const inside = Math.min(Math.max(place, within.begin), within.end);
    const around = taken.find(({ begin, end }) => begin < inside && inside < end);
    const at = around ? around.end : inside;
    const isThere = exact && at === exact.begin && exact.end <= within.end;
    return isThere ? { begin: exact.begin, end: exact.end, isEmpty: false } : { begin: at, end: at, isEmpty: true };
  }

  /** @param {Item} item @param {Place} within @param {[number, number]} source */
  #neighbour(item, within, [begin, end]) {
    const { text } = this.#block;
    const [before, behind] = [text.slice(begin, item.begin), text.slice(item.end, end)];
    if (!/\S/.test(before)) return within.begin;
    if (!/\S/.test(behind)) return within.end;
    const leans = /\s$/.test(before) && /^\S/.test(behind); // it belongs to the word after it
    const word = leans
      ? /^[\p{L}\p{M}\p{N}]+|^\S/u.exec(behind)
      : /(?:[\p{L}\p{M}\p{N}]+|[^\s])\s*$/u.exec(before.slice(-100));
    const length = word?.[0].length ?? 0;
    const from = leans ? item.end : item.begin - length;
    const unit = this.#looking(from, from + length, within);
    if (!unit) return within.end;
    return leans ? unit.begin : unit.end;
  }

  /** The unit that attends most to a part of the text. @param {number} begin @param {number} end @param {Place} within */
  #looking(begin, end, within) {
    let most = 0;
    /** @type {Unit | null} */
    let best = null;
    for (const unit of this.#units) {
      if (unit.begin < within.begin || unit.end > within.end) continue;
      const share = shareOf(unit, begin, end);
      if (share > most) [most, best] = [share, unit];
    }
    return best;
  }
}

/** @param {number[]} values */
function bestTwo(values) {
  let first = 0;
  let second = 0;
  let sum = 0;
  for (const value of values) {
    sum += value;
    if (value > first) [first, second] = [value, first];
    else if (value > second) second = value;
  }
  return { first, second, sum };
}

/**
 * The row of neighbours with the largest sum (Kadane's algorithm).
 * @param {number[]} scores
 * @param {(i: number) => boolean} isFree a unit that is not free is in no row
 * @returns {{sum: number, row: [number, number] | null}}
 */
function bestRow(scores, isFree) {
  /** @type {{sum: number, row: [number, number] | null}} */
  let best = { sum: 0, row: null };
  let sum = 0;
  let first = 0;
  scores.forEach((score, i) => {
    if (!isFree(i) || sum + score <= 0) {
      sum = 0;
      first = i + 1;
      return;
    }
    sum += score;
    if (sum > best.sum) best = { sum, row: [first, i] };
  });
  return best;
}

/**
 * The word that belongs most to an element without a row.
 * @param {number[]} share
 * @param {(i: number) => boolean} isFit
 * @returns {[number, number] | null}
 */
function bestOne(share, isFit) {
  let best = -1;
  share.forEach((value, i) => {
    if (isFit(i) && value >= kLeastShare && !(value <= (share[best] ?? 0))) best = i;
  });
  return best < 0 ? null : [best, best];
}
