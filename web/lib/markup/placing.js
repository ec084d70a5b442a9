// Decides where the elements of a text go in its translation. Each element keeps its parent and gets one row of neighbouring
// words: the words that the alignment connects more to the element's own words than to any others. An element without words
// goes beside the translation of its neighbours.
import { shareOf } from './units.js';

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {import('./blocks.js').Item} Item */
/** @typedef {import('./units.js').Unit} Unit */

/**
 * The place of an item in the translation. `isEmpty`: it has no words there.
 * @typedef {{begin: number, end: number, isEmpty: boolean}} Place
 */

/** The score of a word that was carried through: positive for the element that has it, negative for all others. */
const kExact = 8;
/**
 * The share of a word that belongs to an element must exceed that of any other element by so much: less is noise. Chosen on
 * the sentences of tests/markup/links.tsv.
 */
const kDoubt = 0.2;
/** If less than this share of a word belongs to an element, the element does not get it, even if no other has more. */
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

/** @param {Item[]} items @returns {Map<number, number[]>} the items in each item */
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
   * Places the items of one element.
   * @param {Place} within the element's place
   * @param {[number, number]} source the begin and end of the element's text
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
   * Places the elements with words. The most certain one chooses first.
   * @param {Place} within
   * @param {[number, number]} source
   * @param {number[]} indices
   */
  #placeElements(within, source, indices) {
    const all = this.#units.flatMap((unit, i) => (unit.begin >= within.begin && unit.end <= within.end ? [i] : []));
    // A single element around the whole text gets all words.
    const only = indices.length === 1 ? this.#block.items[indices[0]] : null;
    if (only && all.length && this.#isWhole(only, source)) {
      this.#places[indices[0]] = this.#placeOf(all[0], all[all.length - 1]);
      return;
    }
    // The share of each word that belongs to each element, and the scores of the words.
    const shares = indices.map((index) => all.map((unit) => this.#share(index, unit)));
    const others = all.map((_, i) => bestTwo(shares.map((share) => share[i])));
    const wanted = indices.map((index, e) => {
      const hasWords = this.#hasWords(index);
      const scores = all.map((unit, i) => this.#score(this.#units[unit], shares[e][i], others[i], hasWords));
      return { index, share: shares[e], scores, hasWords, best: bestRow(scores, () => true) };
    });
    // Each element takes the best row of words that are still free.
    /** @type {Set<number>} indices in `all` */
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
   * How much more of a word belongs to an element than outside it, or than to the best other element. A punctuation mark
   * scores 0 for an element with words: it follows the words.
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
   * A row of words, with as many punctuation marks at its ends as the element has.
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
   * The place of an item without words: where it was carried to, otherwise beside the word that translates its neighbour.
   * @param {Item} item
   * @param {Place} within
   * @param {[number, number]} source
   * @param {Place[]} taken the places of its siblings
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
    const isBeforeWord = /\s$/.test(before) && /^\S/.test(behind);
    const word = isBeforeWord
      ? /^[\p{L}\p{M}\p{N}]+|^\S/u.exec(behind)
      : /(?:[\p{L}\p{M}\p{N}]+|[^\s])\s*$/u.exec(before.slice(-100));
    const length = word?.[0].length ?? 0;
    const from = isBeforeWord ? item.end : item.begin - length;
    const unit = this.#mostAttending(from, from + length, within);
    if (!unit) return within.end;
    return isBeforeWord ? unit.begin : unit.end;
  }

  /** The unit that attends most to a part of the text. @param {number} begin @param {number} end @param {Place} within */
  #mostAttending(begin, end, within) {
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
 * For an element without a row: the word of which the largest share belongs to it.
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
