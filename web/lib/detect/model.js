// The model of the detector: embeddings of a text's n-grams, pooled by attention, then a linear layer to the languages.
//   e_i = E[row_i]     s_hi = q_h . e_i / sqrt(d)     w_h = softmax(s_h)     c_h = sum_i w_hi e_i     p = softmax(W c + b)
// All sums are of float64 in a fixed order.
import { readLetters, rowsOf } from './letters.js';

/** @typedef {import('./weights.js').Weights} Weights */

/**
 * The result for a text. Every probability is positive, and they sum to 1.
 * @typedef {object} Reading
 * @property {{language: string, probability: number}[]} languages the likeliest first; empty for a text without letters
 * @property {() => Float64Array} letters the share of the attention at each UTF-16 unit of the text, the mean of the
 *   heads. The sum is at most 1, because row 0 belongs to no letter
 */

/** @param {Weights} weights @param {string} text @returns {Reading} */
export function readText(weights, text) {
  const letters = readLetters(text);
  if (letters.points.length === 0) return { languages: [], letters: () => new Float64Array(text.length) };
  const grams = rowsOf(letters, (hash) => weights.rows.get(hash) ?? 0);
  const attention = attend(weights, grams);
  const probabilities = softmax(logits(weights, pool(weights, grams, attention)));
  const languages = weights.languages.map((language, i) => ({ language, probability: probabilities[i] }));
  languages.sort((a, b) => b.probability - a.probability);
  return { languages, letters: () => spread(text.length, letters, grams, attention) };
}

/** @param {Float64Array} values changed in place @returns {Float64Array} */
function softmax(values) {
  let most = -Infinity;
  for (const value of values) most = Math.max(most, value);
  let sum = 0;
  values.forEach((value, i) => (sum += values[i] = Math.exp(value - most)));
  return values.map((value) => value / sum);
}

/**
 * The weights of each head.
 * @param {Weights} weights
 * @param {{row: number}[]} grams
 */
function attend({ columns, heads, embedding, queries }, grams) {
  const scale = 1 / Math.sqrt(columns);
  return Array.from({ length: heads }, (_, head) => {
    const scores = Float64Array.from(grams, ({ row }) => {
      let sum = 0;
      for (let i = 0; i < columns; ++i) sum += queries[head * columns + i] * embedding[row * columns + i];
      return scale * sum;
    });
    return softmax(scores);
  });
}

/** @param {Weights} weights @param {{row: number}[]} grams @param {Float64Array[]} attention @returns {Float64Array} [heads * columns] */
function pool({ columns, embedding }, grams, attention) {
  const pooled = new Float64Array(attention.length * columns);
  attention.forEach((shares, head) => {
    grams.forEach(({ row }, gram) => {
      for (let i = 0; i < columns; ++i) pooled[head * columns + i] += shares[gram] * embedding[row * columns + i];
    });
  });
  return pooled;
}

/** @param {Weights} weights @param {Float64Array} pooled */
function logits({ output, bias }, pooled) {
  return Float64Array.from(bias, (start, language) => {
    let sum = start;
    for (let i = 0; i < pooled.length; ++i) sum += output[language * pooled.length + i] * pooled[i];
    return sum;
  });
}

/**
 * Divides the attention of each n-gram equally among its letters. Edges get none.
 * @param {number} length of the text
 * @param {import('./letters.js').Letters} letters
 * @param {{first: number, count: number}[]} grams
 * @param {Float64Array[]} attention
 */
function spread(length, { begin, end }, grams, attention) {
  const units = new Float64Array(length);
  grams.forEach(({ first, count }, gram) => {
    let share = 0;
    for (const shares of attention) share += shares[gram] / attention.length;
    let width = 0;
    for (let i = first; i < first + count; ++i) width += end[i] - begin[i];
    for (let i = first; i < first + count; ++i) {
      for (let unit = begin[i]; unit < end[i]; ++unit) units[unit] += share / width;
    }
  });
  return units;
}
