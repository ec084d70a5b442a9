// Expression trees that describe how a number was computed. The leaves are numbers, with the role of their matrix. The nodes
// are the operations of the equation. Nothing is computed here.

/** @typedef {'query' | 'key' | 'value' | 'score' | 'weights' | 'context' | ''} Role */

/**
 * @typedef {{op: 'number', value: number, role: Role}
 *   | {op: 'sum' | 'product' | 'largest' | 'max', parts: Expression[], pick?: number}
 *   | {op: 'quotient', parts: [Expression, Expression]}
 *   | {op: 'minus' | 'exp' | 'tanh' | 'sqrt' | 'square' | 'sigmoid' | 'abs' | 'log' | 'group', parts: [Expression]}
 *   | {op: 'words', text: string}
 *   | {op: 'zero', text: string}} Expression
 */

/** @param {number} value @param {Role} [role] @returns {Expression} */
export const number = (value, role = '') => ({ op: 'number', value, role });
/** @param {Expression[]} parts @returns {Expression} */
export const sum = (parts) => (parts.length === 1 ? parts[0] : { op: 'sum', parts });
/** @param {...Expression} parts @returns {Expression} */
export const product = (...parts) => ({ op: 'product', parts });
/** @param {Expression} above @param {Expression} below @returns {Expression} */
export const quotient = (above, below) => ({ op: 'quotient', parts: [above, below] });
/** @param {'minus' | 'exp' | 'tanh' | 'sqrt' | 'square' | 'sigmoid' | 'abs' | 'log' | 'group'} op @param {Expression} part @returns {Expression} */
export const apply = (op, part) => ({ op, parts: [part] });
/** 1 if the picked part is the first largest one, else 0. @param {Expression[]} parts @param {number} pick @returns {Expression} */
export const largest = (parts, pick) => ({ op: 'largest', parts, pick });
/** @param {Expression[]} parts @returns {Expression} */
export const max = (parts) => ({ op: 'max', parts });
/** @param {string} text @returns {Expression} */
export const words = (text) => ({ op: 'words', text });
/** A 0 that is not computed. @param {string} text says that it is 0, and why @returns {Expression} */
export const zero = (text) => ({ op: 'zero', text });

/** @param {ArrayLike<number>} a @param {Role} aRole @param {ArrayLike<number>} b @param {Role} bRole */
export const dot = (a, aRole, b, bRole) => sum(Array.from(a, (x, i) => product(number(x, aRole), number(b[i], bRole))));

const kMostParts = 8;

/** @typedef {{text: string, role?: Role}} Piece */

/**
 * An expression as pieces of text, each with its role. The middle of a long sum is left out.
 * @param {Expression} expression
 * @param {(value: number) => string} format
 * @returns {Piece[]}
 */
export function textPiecesOf(expression, format) {
  /** @type {Piece[]} */
  const pieces = [];
  const put = (/** @type {string} */ text, /** @type {Role} */ role = '') => pieces.push({ text, role });
  // The parts of a sum, a product or a list. A negative part of a sum is subtracted.
  const list = (/** @type {Expression[]} */ parts, /** @type {string} */ between) => {
    parts.forEach((part, i) => {
      const isCut = parts.length > kMostParts && i >= kMostParts - 2 && i < parts.length - 1;
      if (isCut && i > kMostParts - 2) return;
      const isLess = i > 0 && between === ' + ' && part.op === 'minus';
      if (i > 0) put(isLess ? ' − ' : between);
      if (isCut) put('…');
      else if (isLess) write(/** @type {any} */ (part).parts[0], 2);
      else write(part, between === ' + ' ? 1 : between === ', ' ? 0 : 2);
    });
  };
  /** @param {Expression} node @param {number} tightness of the surrounding expression: 1 of a sum, 2 of a product, 3 of a power */
  function write(node, tightness) {
    // Numbers and words. A negative number in a product is in parentheses. A count has no decimals.
    if (node.op === 'words' || node.op === 'zero') return put(node.text);
    if (node.op === 'number') {
      const isCount = node.role === '' && Number.isInteger(node.value);
      const text = isCount ? String(node.value).replace('-', '−') : format(node.value);
      return put(node.value < 0 && tightness > 1 ? `(${text})` : text, node.role);
    }
    // Operations. They are in parentheses only if the surrounding expression binds more tightly.
    if (node.op === 'sum' || node.op === 'product') {
      const own = node.op === 'sum' ? 1 : 2;
      if (own < tightness) put('(');
      list(node.parts, own === 1 ? ' + ' : ' · ');
      if (own < tightness) put(')');
      return;
    }
    if (node.op === 'quotient') {
      if (tightness > 2) put('(');
      write(node.parts[0], 2);
      put(' / ');
      write(node.parts[1], 3);
      if (tightness > 2) put(')');
      return;
    }
    if (node.op === 'minus') {
      put('−');
      return write(node.parts[0], 2);
    }
    if (node.op === 'square') {
      write(node.parts[0], 3);
      return put('²');
    }
    // Functions such as exp(...), and absolute values between bars.
    const [open, close] = node.op === 'abs' ? ['|', '|'] : node.op === 'group' ? ['(', ')'] : [`${node.op}(`, ')'];
    put(node.op === 'sqrt' ? '√(' : node.op === 'largest' ? 'largest(' : open);
    list(node.parts, node.op === 'largest' || node.op === 'max' ? ', ' : ' + ');
    put(close);
  }
  write(expression, 0);
  return pieces;
}
