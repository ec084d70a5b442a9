// The trace, layout qkv-trace/1: every attention weight of a pair of sentences, with their pieces.

/**
 * One side of a pair, cut into pieces.
 * @typedef {object} Side
 * @property {string} text
 * @property {string[]} pieces as the vocabulary writes them: '▁the' where a word begins; the last one is '</s>'
 * @property {Int32Array} ids
 * @property {Int32Array} begin offset in `text` of each piece, in UTF-16 units: `text.slice(begin[i], end[i])` is the
 *   text of piece i
 * @property {Int32Array} end
 */

/**
 * @typedef {Side & {logProbs: Float32Array}} TargetSide `logProbs`: the natural logarithm of each piece's
 *   probability, given the source and the pieces before it
 */

/**
 * The attention of one kind: `data[((l * heads + h) * targets + t) * sources + s]` is the weight that head h of layer l
 * gives to position s while it works on position t. Each row of `sources` sums to 1.
 * @typedef {object} AttentionMap
 * @property {[layers: number, heads: number, targets: number, sources: number]} shape
 * @property {Float32Array} data
 * @property {Vectors} [vectors] if requested, and if the model is a Transformer: the vectors that the weights were computed from
 */

/**
 * The vectors of the heads of one kind. The weights in `data` are softmax(q·k / √dim) of these vectors. A head's output at t
 * is the sum over s of weight times value (Vaswani et al. 2017, equation 1).
 * @typedef {object} Vectors
 * @property {number} dim of a head
 * @property {Float32Array} queries [layers, heads, targets, dim]
 * @property {Float32Array} keys [layers, heads, sources, dim]
 * @property {Float32Array} values [layers, heads, sources, dim]
 */

/**
 * `data[t * sources + s]`: how much target piece t depends on source piece s. Rows sum to 1. They sum to less with local-p,
 * whose weights are multiplied by a Gaussian, and to 0 if the model has no attention.
 * @typedef {object} Alignment
 * @property {[targets: number, sources: number]} shape
 * @property {Float32Array} data
 * @property {[layer: number, head: number][]} heads the cross-attention heads whose mean it is
 * @property {boolean} ranked whether the model names these heads; otherwise they are all heads of the last layer
 * @property {string} note how the heads were chosen
 */

/**
 * Alternatives: for each target piece t the `count` likeliest pieces at its place, best first, from index t * count on.
 * @typedef {object} Alternatives
 * @property {number} count
 * @property {string[]} pieces
 * @property {Int32Array} ids
 * @property {Float32Array} logProbs natural logarithms
 */

/** @typedef {import('../engine/info.js').ModelInfo} ModelInfo */
/** @typedef {import('../engine/glue.js').WasmTrace & {legs?: {raw: RawTrace, model: ModelInfo}[]}} RawTrace */

/**
 * @typedef {object} TraceFields
 * @property {'qkv-trace/1'} format
 * @property {ModelInfo} model
 * @property {'utf-16'} spans the unit of `begin` and `end`
 * @property {Side} source
 * @property {TargetSide} target
 * @property {string[]} targetInput the decoder's input: the start piece, then the target without its last piece. Row
 *   t of `cross` and `decoderSelf` is the step that produces target piece t; column j of `decoderSelf` is input j
 * @property {AttentionMap} encoderSelf [layers, heads, source, source]
 * @property {AttentionMap} decoderSelf [layers, heads, target, target]
 * @property {AttentionMap} [gates] for a decoder with SSRUs in place of self-attention: [layers, 1, target, units]. Each
 *   number is the share of a unit of the state that is kept when target piece t is written, from 0 to 1
 * @property {AttentionMap} cross [layers, heads, target, source]
 * @property {{centres: Float32Array, halfWidth: number}} [window] for a recurrent model with local attention: the
 *   centre of the window of each row of `cross`, in source pieces, and its half width
 * @property {Alignment} alignment
 * @property {Alternatives} alternatives
 * @property {number} score the sum of the target's log-probabilities
 * @property {boolean} sourceTruncated whether the source had more pieces than the model has positions, and was cut
 * @property {boolean} targetTruncated the same for a given target
 * @property {{source: [from: number, to: number], target: [from: number, to: number]}[]} copied the parts that the
 *   model's own translation carries through, in UTF-16 units of both texts
 * @property {Trace[]} [legs] for two models that translate one after the other: the trace of each model. Then `cross` and
 *   `alignment` go from the source to the target through the pieces between, and `model` describes both
 * @property {import('./interventions.js').Intervention[]} [interventions] the changes to the model, if any
 * @property {number} confidence from 0 to 1: how reliable the target is, by the model's probabilities
 * @property {import('../engine/engine.js').Warning[]} warnings
 * @property {import('../engine/engine.js').Cut} cut of the target, if it is the model's own
 */

/**
 * @typedef {TraceFields & {toJSON: () => object}} Trace in JSON, typed arrays become arrays
 */

const kRankedNote = 'the mean of the heads that the model names in alignment_heads';
const kUnrankedNote = 'the mean of all heads of the last layer: the model names no alignment_heads';

/**
 * @param {RawTrace} raw
 * @param {ModelInfo} model
 * @returns {Trace}
 */
export function makeTrace(raw, model) {
  const fields = /** @type {TraceFields} */ ({
    format: 'qkv-trace/1',
    model,
    spans: 'utf-16',
    ...raw,
    ...(raw.legs && { legs: raw.legs.map((leg) => makeTrace(leg.raw, leg.model)) }),
    copied: Array.from({ length: raw.copied.length / 4 }, (_, i) => {
      const [from, to, targetFrom, targetTo] = raw.copied.subarray(4 * i, 4 * i + 4);
      return { source: [from, to], target: [targetFrom, targetTo] };
    }),
    alignment: { ...raw.alignment, note: raw.alignment.ranked ? kRankedNote : kUnrankedNote },
  });
  return Object.defineProperty(/** @type {Trace} */ (fields), 'toJSON', { value: toJSON });
}

/** @this {TraceFields} */
function toJSON() {
  return plain({ ...this });
}

/**
 * Plain lists instead of typed arrays.
 * @param {any} value
 * @returns {any}
 */
export function plain(value) {
  if (ArrayBuffer.isView(value)) return Array.from(/** @type {any} */ (value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
