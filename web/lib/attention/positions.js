// Positional encodings. They are needed because attention itself does not depend on the order of rows.
import { bytesIn, withHeads } from './choices.js';
import { withEngine } from './engine.js';
import { invalid, readFields } from '../base/arguments.js';
import { readName, readNumber, readWhole } from './fields.js';
import { readTensor } from './tensor.js';

/** @typedef {import('./options.js').Tensor} Tensor */
/** @typedef {import('./options.js').TensorLike} TensorLike */
/** @typedef {'halves' | 'interleaved'} PairLayout */

/** The first is the default. */
const kLayouts = /** @type {const} */ (['halves', 'interleaved']);

/**
 * Sinusoidal positions (Vaswani et al. 2017, section 3.5): sin(p / 10000^(2j/d)) and cos(p / 10000^(2j/d)) of the positions
 * p = first, first + 1, ...
 * @param {number} count how many positions
 * @param {number} d columns; if it is odd, one sine has no cosine
 * @param {object} [options]
 * @param {PairLayout} [options.layout] the columns of the sine and the cosine of frequency j: 'halves', the default: columns
 *   j and ceil(d / 2) + j (MarianMT); 'interleaved': columns 2j and 2j + 1 (the paper)
 * @param {number} [options.first] default 0
 * @returns {Promise<Tensor>} [count, d]; rejects with a QkvError: INVALID_ARGUMENT, LIMIT_EXCEEDED, or as `loadAttention` does
 */
export async function sinusoidal(count, d, options) {
  const { layout, first } = readFields(options, 'options', ['layout', 'first']);
  const args = /** @type {const} */ ([
    readWhole(count, 'count'),
    readWhole(d, 'd', 1),
    readLayout(layout),
    readFirst(first),
  ]);
  return withEngine((wasm) => wasm.sinusoidal(...args));
}

/**
 * The matrix R(delta) with p(i + delta) = R(delta) p(i) for the sinusoid p(i) of any position i. The paper chose sinusoids
 * because it exists. R rotates the pair of each frequency by delta / 10000^(2j/d).
 * @param {number} delta in positions; may be negative, or a fraction
 * @param {number} d columns, an even number
 * @param {object} [options]
 * @param {PairLayout} [options.layout] as in `sinusoidal`
 * @returns {Promise<Tensor>} [d, d]; rejects as `sinusoidal` does
 */
export async function rotation(delta, d, options) {
  const { layout } = readFields(options, 'options', ['layout']);
  const args = /** @type {const} */ ([
    readNumber(delta, 'delta'),
    evenSize(readWhole(d, 'd', 1), 'd'),
    readLayout(layout),
  ]);
  return withEngine((wasm) => wasm.rotation(...args));
}

/**
 * Rotary positions (Su et al. 2021): each pair of columns of row i is rotated by (first + i) / base^(2j/d). So the
 * product of two rows depends on their distance alone.
 * @param {TensorLike} x [rows, d] or [heads, rows, d], d an even number
 * @param {object} [options]
 * @param {number} [options.first] the place of row 0; default 0
 * @param {PairLayout} [options.layout] which columns are a pair: 'halves', the default, j and d / 2 + j (GPT-NeoX);
 *   'interleaved' 2j and 2j + 1 (the paper)
 * @param {number} [options.base] default 10000
 * @returns {Promise<Tensor>} of x's shape; rejects as `sinusoidal` does
 */
export async function rotary(x, options) {
  const { first, layout, base = 10000 } = readFields(options, 'options', ['first', 'layout', 'base']);
  const { data, shape } = readTensor(x, 'x', [2, 3]);
  evenSize(/** @type {number} */ (shape.at(-1)), 'x');
  if (!(readNumber(base, 'base') > 0)) throw invalid('base', 'it must be above 0');
  const rows = withHeads({ data, shape });
  const rest = /** @type {const} */ ([2 * bytesIn(data), readFirst(first), readLayout(layout), base]);
  const result = await withEngine((wasm) => wasm.rotary(rows, ...rest));
  return { data: result.data, shape };
}

/**
 * Learned positions (Gehring et al. 2017): x plus rows first, first + 1, ... of a table.
 * @param {TensorLike} x [rows, d]
 * @param {TensorLike} table [positions, d]
 * @param {object} [options]
 * @param {number} [options.first] default 0
 * @returns {Promise<Tensor>} [rows, d]; rejects as `sinusoidal` does
 */
export async function learned(x, table, options) {
  const { first } = readFields(options, 'options', ['first']);
  const rows = withHeads(readTensor(x, 'x', [2]));
  const places = withHeads(readTensor(table, 'table', [2]));
  const from = readFirst(first);
  if (places.shape[2] !== rows.shape[2]) throw invalid('table', 'it must have as many columns as x');
  if (from + rows.shape[1] > places.shape[1]) {
    throw invalid('table', `it has ${places.shape[1]} positions, and x ends at ${from + rows.shape[1]}`);
  }
  return withEngine((wasm) => wasm.learned(rows, places, 2 * bytesIn([rows, places]), from));
}

/** @param {unknown} layout */
const readLayout = (layout) => readName(layout, 'layout', kLayouts);

/** @param {unknown} first */
const readFirst = (first) => readWhole(first ?? 0, 'first');

/**
 * @param {number} size
 * @param {string} name
 */
function evenSize(size, name) {
  if (size > 0 && size % 2 === 0) return size;
  throw invalid(name, `its columns come in pairs, and ${size} is not an even number above 0`);
}
