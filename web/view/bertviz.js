// Converts a trace to the format of bertviz's head view (https://github.com/jessevig/bertviz).

/** @typedef {import('./trace.js').Side} Side */
/** @typedef {import('./trace.js').Trace} Trace */
/** @typedef {import('./trace.js').Weights} Weights */

/**
 * @typedef {object} BertvizAttention
 * @property {string} name
 * @property {number[][][][]} attn [layer][head][left][right]: each row of `right` sums to 1
 * @property {string[]} left_text the pieces that attend: queries
 * @property {string[]} right_text the pieces that they attend to: keys
 */

/**
 * @param {Trace} trace
 * @returns {BertvizAttention[]} encoder, decoder and cross-attention, if the trace has them
 */
export function toBertviz({ source, target, targetInput, encoderSelf, decoderSelf, cross }) {
  const one = (
    /** @type {string} */ name,
    /** @type {Weights | null | undefined} */ weights,
    /** @type {string[]} */ left,
    /** @type {string[]} */ right,
  ) =>
    weights?.shape[0] ? [{ name, attn: /** @type {any} */ (nested(weights)), left_text: left, right_text: right }] : [];
  const [read, written] = [source?.pieces ?? [], target?.pieces ?? []];
  return [
    ...one('Encoder', encoderSelf, read, read),
    ...one('Decoder', decoderSelf, written, targetInput ?? written),
    ...one('Cross', cross, written, read),
  ];
}

/** @param {Weights} weights */
function nested({ shape, data }) {
  /** @type {any[]} */
  let rows = Array.from(data);
  for (const length of shape.slice(1).reverse()) {
    rows = Array.from({ length: rows.length / length }, (_, i) => rows.slice(i * length, (i + 1) * length));
  }
  return rows;
}
