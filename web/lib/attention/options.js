// What may be asked of attention, and what comes back: types, no code.

/**
 * Numbers and their shape, row-major: the last axis is contiguous.
 * @typedef {{data: Float32Array, shape: number[]}} Tensor
 */

/** @typedef {ArrayLike<number> & object} Numbers */

/**
 * A tensor, or nested arrays of numbers, as one writes a small matrix by hand. A Float32Array is read without a copy in
 * JavaScript; do not write to it before the call has settled.
 * @typedef {{data: Numbers, shape: readonly number[]} | Numbers | readonly Numbers[] | readonly (readonly Numbers[])[]} TensorLike
 */

/**
 * The same of booleans, or of numbers of which 0 is false.
 * @typedef {{data: ArrayLike<number | boolean> & object, shape: readonly number[]} | readonly ArrayLike<number | boolean>[] | readonly (readonly ArrayLike<number | boolean>[])[]} MaskLike
 */

/** @typedef {'additive' | 'dot' | 'scaled-dot' | 'general' | 'low-rank' | 'concat' | 'location' | 'gaussian' | 'cosine' | 'alibi'} ScoreName */
/** @typedef {'soft' | 'argmax' | 'sampled' | 'gate' | 'max-pool'} SelectionName */
/** @typedef {'global' | 'local-m' | 'local-p'} WindowName */

/**
 * Local attention (Luong et al. 2015): a query looks at keys j with |j - p| <= D.
 * @typedef {object} WindowOptions
 * @property {WindowName} [kind] 'global', the default: every key. 'local-m': p = min(t, S - 1), t the query's place, S the
 *   number of keys that are no padding. 'local-p': p = S sigmoid(v_p' tanh(W_p q)), and weights are multiplied by
 *   exp(-(j - p)^2 / (2 (D / 2)^2)), so that a row need not sum to 1
 * @property {number} [halfWidth] D, in positions; 0 or more, for 'local-p' above 0. Default 0
 * @property {TensorLike} [W_p] of 'local-p': [n, query dim], or [heads, n, query dim]
 * @property {TensorLike} [v_p] of 'local-p': [n], or [heads, 1, n]
 * @property {TensorLike} [centres] p itself in place of W_p and v_p: [queries], or [heads, queries], in positions
 */

/**
 * What a query may not see. A query that sees nothing gets zeros.
 * @typedef {object} MaskOptions
 * @property {boolean} [causal] query i sees keys up to its own place, firstQuery + i. Default false
 * @property {number} [firstQuery] the place of query 0, here, in windows and in ALiBi: how many queries came before.
 *   Default 0
 * @property {number} [paddingFrom] keys from this one on are padding. Default: none are
 * @property {MaskLike} [allowed] [queries, keys] or [heads, queries, keys]: where it is false a query does not see
 * @property {TensorLike} [bias] the same shapes: added to scores; -Infinity hides the key
 */

/** @typedef {'weights' | 'scores' | 'logits' | 'empty' | 'chosen' | 'centres'} Recorded */

/**
 * What can be recorded; H heads, Q queries, K keys. Without an axis of heads in `query` there is none here.
 * @typedef {object} Records
 * @property {Tensor} weights [H, Q, K]: what the values are summed with; 0 where a query does not see
 * @property {Tensor} scores [H, Q, K], of all pairs, before the mask and the temperature
 * @property {Tensor} logits [H, Q, K]: what the selection chose by; -Infinity where a query does not see
 * @property {{data: Uint8Array, shape: number[]}} empty [H, Q]: 1 where the query sees nothing
 * @property {{data: Int32Array, shape: number[]}} chosen [H, Q]: the key of a hard selection, else the one of the largest
 *   weight, which is where a pointer points (Vinyals et al. 2015); -1 where there is none
 * @property {Tensor | null} centres [H, Q]: p of the window, in positions; null where the window is global
 */

/**
 * One choice each of score, selection, window, mask; all are optional and compose.
 * @template {Recorded} [R=Recorded]
 * @typedef {object} Choices
 * @property {ScoreName} [score] how much a query wants a key; default 'scaled-dot', q'k / sqrt(d) (Vaswani et al. 2017).
 *   `scores()` lists them with equations and papers
 * @property {Record<string, TensorLike | number>} [parameters] of the score, by the names in its equation: [rows, columns],
 *   or [heads, rows, columns] for each head its own; a list is one row, a number [1]
 * @property {SelectionName} [selection] what of the keys a query takes. 'soft', the default: softmax. 'argmax': the key of
 *   the largest logit. 'sampled': a key drawn from the softmax (Xu et al. 2015). 'gate': the sigmoid of each logit.
 *   'max-pool': for each column the largest value
 * @property {number} [temperature] logits are divided by it; 1e-30 or more. Default 1
 * @property {number | bigint} [seed] of 'sampled': a whole number below 2^53, or a bigint below 2^64. The draw of a (seed,
 *   head, query) is always the same. Default 0
 * @property {WindowOptions} [window]
 * @property {MaskOptions} [mask]
 * @property {boolean} [maskUsed] as a pointer: a key that an earlier query of the head chose is out of question. Default
 *   false
 * @property {'rows' | 'columns'} [convention] 'rows', the default: softmax(Q K' / sqrt(d)) V, a vector is a row. 'columns':
 *   V softmax(K' Q / sqrt(d)), a vector is a column, so that inputs, output, masks and recorded matrices are transposed:
 *   [H, d, Q], [H, dv, Q], [H, K, Q]. Parameters, centres, `empty` and `chosen` are the same in both
 * @property {readonly R[]} [record] what to return besides the output; all by default. With [] nothing is kept that is as
 *   large as queries times keys, and memory grows with the length alone: for long sequences
 */

/**
 * The weights of multi-head attention (Vaswani et al. 2017, section 3.2.2), each [outputs, inputs]; one that is left out is
 * the identity.
 * @typedef {object} Layer
 * @property {TensorLike} [query] [heads * query dim, inputs]
 * @property {TensorLike} [key] [keyHeads * key dim, inputs]
 * @property {TensorLike} [value] [keyHeads * value dim, inputs]
 * @property {TensorLike} [output] [outputs, heads * value dim]
 */

/**
 * Keys and values that a layer has projected: queries that come later see them too. A plain value: it may be kept, copied
 * or sent.
 * @typedef {object} LayerMemory
 * @property {Tensor} keys [rows, keyHeads * key dim]
 * @property {Tensor} values [rows, keyHeads * value dim]
 */

export {};
