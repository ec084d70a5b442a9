// Joins the traces of two models that translate one after the other. The result goes from the source of the first model to
// the target of the second.
/** @typedef {import('../engine/glue.js').WasmTrace} WasmTrace */
/** @typedef {import('../engine/glue.js').WasmTokens} WasmTokens */
/** @typedef {import('../engine/info.js').TranslatorInfo} TranslatorInfo */
/** @typedef {{raw: WasmTrace, info: TranslatorInfo}} Leg */
/** @typedef {{shape: number[], data: Float32Array}} Matrix [rows, columns] */

/**
 * The trace of both models. `cross` has one layer and one head, the joined alignment: how much each target piece depends on
 * each source piece through the pieces between. All other attention is in `legs`.
 * @param {Leg} first
 * @param {Leg} second
 * @returns {import('./trace.js').RawTrace}
 */
export function joinTraces(first, second) {
  const [a, b] = [first.raw, second.raw];
  const alignment = product(b.alignment, product(shares(b.source, a.target), a.alignment));
  const [targets, sources] = alignment.shape;
  return {
    ...b,
    source: a.source,
    encoderSelf: a.encoderSelf,
    cross: { shape: [1, 1, targets, sources], data: alignment.data },
    alignment: { ...alignment, heads: [], ranked: b.alignment.ranked && a.alignment.ranked },
    copied: joinCopied(a.copied, b.copied),
    sourceTruncated: a.sourceTruncated || b.sourceTruncated,
    cut: a.cut || b.cut,
    confidence: a.confidence * b.confidence,
    warnings: [...new Set([...a.warnings, ...b.warnings])],
    window: undefined,
    legs: [first, second].map(({ raw, info: { engine: _engine, worker: _worker, ...model } }) => ({ raw, model })),
  };
}

/**
 * @param {import('../engine/glue.js').WasmAligned} first
 * @param {import('../engine/glue.js').WasmAligned} second
 * @returns {import('../engine/glue.js').WasmAligned}
 */
export function joinAlignments(first, second) {
  const joined = product(second, product(shares(second.source, first.target), first));
  return { ...joined, source: first.source, target: second.target, copied: joinCopied(first.copied, second.copied) };
}

/**
 * The overlap of pieces in the text between the models: row i has the shares of the second model's piece i that lie in each
 * piece of the first model, in UTF-16 units. Rows sum to 1. The end pieces of both models belong together.
 * @param {WasmTokens} read
 * @param {WasmTokens} written
 * @returns {Matrix}
 */
export function shares(read, written) {
  const [rows, columns] = [read.pieces.length, written.pieces.length];
  const data = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let i = 0; i < columns; i++) {
      const overlap = Math.min(read.end[row], written.end[i]) - Math.max(read.begin[row], written.begin[i]);
      sum += data[row * columns + i] = Math.max(overlap, 0);
    }
    const after = written.end.findIndex((end) => end > read.begin[row]);
    // A piece without text, such as '</s>', belongs to the piece at its place. At the end of the text it belongs to the
    // last piece.
    if (sum === 0) data[row * columns + (after < 0 ? columns - 1 : after)] = sum = 1;
    for (let i = 0; i < columns; i++) data[row * columns + i] /= sum;
  }
  return { shape: [rows, columns], data };
}

/**
 * @param {Matrix} a [m, k]
 * @param {Matrix} b [k, n]
 * @returns {Matrix} [m, n]
 */
function product(a, b) {
  const [m, k] = a.shape;
  const n = b.shape[1];
  const data = new Float32Array(m * n);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < k; j++) {
      const weight = a.data[i * k + j];
      for (let c = 0; c < n; c++) data[i * n + c] += weight * b.data[j * n + c];
    }
  return { shape: [m, n], data };
}

/**
 * The parts that both models carried through: [from, to] of the source and [from, to] of the target.
 * @param {Int32Array} first
 * @param {Int32Array} second
 */
function joinCopied(first, second) {
  const parts = (/** @type {Int32Array} */ spans) =>
    Array.from({ length: spans.length / 4 }, (_, i) => [...spans.subarray(4 * i, 4 * i + 4)]);
  const all = parts(first).flatMap(([from, to, begin, end]) =>
    parts(second)
      .filter(([secondFrom, secondTo]) => secondFrom === begin && secondTo === end)
      .map(([, , targetFrom, targetTo]) => [from, to, targetFrom, targetTo]),
  );
  return Int32Array.from(all.flat());
}
