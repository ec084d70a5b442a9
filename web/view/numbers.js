// Formats the numbers of small matrices, and parses typed ones.

const kMost = 99;

/**
 * Formats a number.
 * @param {number} value
 * @param {'signed' | 'weight' | 'flag'} [kind]
 */
export function formatNumber(value, kind = 'signed') {
  if (value === -Infinity) return '−∞';
  if (Number.isNaN(value)) return 'NaN';
  const text = kind === 'flag' ? String(value) : value.toFixed(2);
  return /^-?0(\.0*)?$/.test(text) ? text.replace('-', '') : text.replace('-', '−');
}

/** Parses a typed number; null if it is not a number. @param {string} text */
export function readNumber(text) {
  const plain = text.trim().replace('−', '-').replace(',', '.');
  const value = plain === '' ? NaN : Number(plain);
  return Number.isFinite(value) ? Math.min(kMost, Math.max(-kMost, Math.round(value * 1000) / 1000)) : null;
}

/** The largest absolute value of a matrix, without masked cells. @param {ArrayLike<number>} data */
export function largestOf(data) {
  let peak = 0;
  for (let i = 0; i < data.length; ++i) if (Number.isFinite(data[i])) peak = Math.max(peak, Math.abs(data[i]));
  return peak;
}
