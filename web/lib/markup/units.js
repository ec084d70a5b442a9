// The words of a translation. The alignment says to which part of the source each word belongs.

/** @typedef {import('../engine/engine.js').AlignedPart} AlignedPart */

/**
 * A word of a translation, a punctuation mark, or a carried part.
 * @typedef {object} Unit
 * @property {number} begin in the block's translation
 * @property {number} end
 * @property {boolean} isWord
 * @property {boolean} isExact whether its place in the source is known: it was carried through
 * @property {number} from the begin of its sentence in the block's text
 * @property {Float64Array | [number, number]} source entry i: the share of the unit that belongs to the first i
 *   UTF-16 units of the sentence, from 0 to 1. Or, if it is exact, [from, to] in the block's text
 */

// Scripts without spaces: each character counts as a word.
const kAlone = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}`;
const kPart = String.raw`(?:(?![${kAlone}])[\p{L}\p{M}\p{N}_])`;
// An apostrophe ends a word, as in l'ami, but not before the endings of English: it's, we're.
const kEnding = String.raw`['\u2019](?=[\p{L}\p{N}]{2})(?!(?:re|ve|ll)\b)|['\u2019]${kPart}+`;
const kToken = new RegExp(
  String.raw`[${kAlone}]\p{M}*|${kPart}(?:(?:${kPart}|[\u00AD-])*${kPart})?(?:${kEnding})?|\S`,
  'gu',
);

/**
 * The units of one sentence, in order.
 * @param {AlignedPart} part
 * @param {number} from the begin of the sentence in the block's text
 * @param {number} to the begin of its translation in the block's translation
 * @returns {Unit[]}
 */
export function unitsOf(part, from, to) {
  const { text, translation } = part;
  const shares = sharesOf(part);
  return tokensOf(part).map(({ begin, end, isWord, exact }) => ({
    begin: to + begin,
    end: to + end,
    isWord,
    isExact: Boolean(exact),
    from,
    source: exact
      ? [from + exact[0], from + exact[1]]
      : (shares(begin, end) ?? byPlace(text, begin / translation.length, end / translation.length)),
  }));
}

/**
 * The share of a unit that belongs to [begin, end) of the block's text, from 0 to 1.
 * @param {Unit} unit
 * @param {number} begin
 * @param {number} end
 */
export function shareOf({ source, from }, begin, end) {
  if (Array.isArray(source)) return source[0] >= begin && source[1] <= end ? 1 : 0;
  const at = (/** @type {number} */ place) => source[Math.min(Math.max(place - from, 0), source.length - 1)];
  return at(end) - at(begin);
}

/** @typedef {{begin: number, end: number, isWord: boolean, exact?: [number, number]}} Token a unit with its places in the sentence */

/**
 * The words of a translation, its punctuation marks, and the parts whose place in the source is known: carried parts, and
 * parts at both ends of the sentence that the model did not read.
 * @param {AlignedPart} part
 * @returns {Token[]}
 */
function tokensOf({ text, translation, alignment }) {
  // The carried parts.
  /** @type {Token[]} */
  const exact = [];
  const copied = alignment?.copied ?? new Int32Array(0);
  for (let i = 0; i < copied.length; i += 4) {
    const [from, to, begin, end] = copied.subarray(i, i + 4);
    const translated = translation.slice(begin, end);
    // If both texts are the same, each word has its own place, because an element may contain only some of them.
    const words = translated === text.slice(from, to) ? translated.matchAll(kToken) : [];
    let isSplit = false;
    for (const { 0: word, index } of words) {
      const [at, source] = [begin + index, from + index];
      exact.push({ begin: at, end: at + word.length, isWord: true, exact: [source, source + word.length] });
      isSplit = true;
    }
    if (!isSplit) exact.push({ begin, end, isWord: true, exact: [from, to] });
  }
  // The other words and marks, in order with the carried parts.
  exact.sort((a, b) => a.begin - b.begin);
  const tokens = [];
  let next = 0;
  for (const { 0: word, index } of translation.matchAll(kToken)) {
    while (next < exact.length && exact[next].end <= index) tokens.push(exact[next++]);
    const isCovered = next < exact.length && exact[next].begin < index + word.length;
    if (!isCovered) tokens.push({ begin: index, end: index + word.length, isWord: /[\p{L}\p{N}]/u.test(word) });
  }
  tokens.push(...exact.slice(next));
  return withEnds(tokens, text, translation, alignment);
}

/**
 * Finds the exact places of tokens at both ends of a sentence that the model did not read, such as marks of a list. They are
 * the same in both texts.
 * @param {Token[]} tokens
 * @param {string} text
 * @param {string} translation
 * @param {AlignedPart['alignment']} alignment
 */
function withEnds(tokens, text, translation, alignment) {
  const { begin = [], end = [] } = alignment?.target ?? {};
  const spans = Array.from(begin, (from, i) => [from, end[i]]).filter(([from, to]) => to > from);
  const head = spans.length ? Math.min(...spans.map(([from]) => from)) : 0;
  const tail = translation.length - (spans.length ? Math.max(...spans.map(([, to]) => to)) : 0);
  const isSame = text === translation;
  const hasHead = isSame || (head > 0 && text.slice(0, head) === translation.slice(0, head));
  const hasTail = tail > 0 && text.slice(text.length - tail) === translation.slice(translation.length - tail);
  const shift = text.length - translation.length;
  for (const token of tokens) {
    if (token.exact) continue;
    if (isSame || (hasHead && token.end <= head)) token.exact = [token.begin, token.end];
    else if (hasTail && token.begin >= translation.length - tail) {
      token.exact = [token.begin + shift, token.end + shift];
    }
  }
  return tokens;
}

/**
 * A function of a part [begin, end) of the translation. It returns the shares of the part that belong to the first i UTF-16
 * units of the source, for each i. The attention of a piece is divided among the letters of the pieces that it attends to.
 * Attention to </s> does not count.
 * @param {AlignedPart} part
 * @returns {(begin: number, end: number) => Float64Array | null} null without an alignment for this part
 */
function sharesOf({ text, alignment }) {
  if (!alignment) return () => null;
  const { source, target, data, shape } = alignment;
  const [, sources] = shape;
  const letters = lettersOf(text, source);
  const mutual = mutualOf(data, sources);
  return (begin, end) => {
    const weights = new Float64Array(sources);
    for (let t = 0; t < target.begin.length; t++) {
      const overlap = Math.min(end, target.end[t]) - Math.max(begin, target.begin[t]);
      if (overlap <= 0) continue;
      for (let s = 0; s < sources; s++) if (letters[s].length) weights[s] += overlap * mutual[t * sources + s];
    }
    return cumulative(weights, letters, text.length);
  };
}

/**
 * How much two pieces belong together: w[t, s] * w[t, s] / (sum over t of w[t, s]) for a target piece t and a source piece s.
 * It is large if each is the most important partner of the other.
 * @param {Float32Array} data [target, source]
 * @param {number} sources
 */
function mutualOf(data, sources) {
  const sums = new Float64Array(sources);
  data.forEach((weight, i) => {
    sums[i % sources] += weight;
  });
  return data.map((weight, i) => (weight * weight) / (sums[i % sources] || 1));
}

/**
 * @param {Float64Array} weights of the pieces
 * @param {number[][]} letters of each piece
 * @param {number} length
 */
function cumulative(weights, letters, length) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0)) return null;
  const sums = new Float64Array(length + 1);
  weights.forEach((weight, s) => {
    for (const place of letters[s]) sums[place + 1] += weight / total / letters[s].length;
  });
  for (let i = 0; i < length; i++) sums[i + 1] += sums[i];
  return sums;
}

/**
 * The places of the characters of each source piece that are not white space.
 * @param {string} text
 * @param {{begin: Int32Array, end: Int32Array}} source
 */
function lettersOf(text, { begin, end }) {
  return Array.from(begin, (from, s) => {
    const places = [];
    for (let i = from; i < end[s]; i++) if (text[i] !== ' ') places.push(i);
    return places;
  });
}

/**
 * Without an alignment, the middle of the translation belongs to the middle of the source.
 * @param {string} text
 * @param {number} begin a share of the translation
 * @param {number} end
 */
function byPlace(text, begin, end) {
  const sums = new Float64Array(text.length + 1);
  const [from, to] = [begin * text.length, Math.max(end * text.length, begin * text.length + 1e-9)];
  for (let i = 0; i <= text.length; i++) sums[i] = Math.min(Math.max((i - from) / (to - from), 0), 1);
  return sums;
}
