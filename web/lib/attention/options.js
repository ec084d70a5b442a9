// The options and results of attention: types only, no code.

/**
 * Numbers and their shape, row-major: the last axis is contiguous.
 * @typedef {{data: Float32Array, shape: number[]}} Tensor
 */

/** @typedef {ArrayLike<number> & object} Numbers */

/**
 * A tensor, or nested arrays of numbers, for small matrices written by hand. It is copied when a function is called.
 * @typedef {{data: Numbers, shape: readonly number[]} | Numbers | readonly Numbers[] | readonly (readonly Numbers[])[]} TensorLike
 */

/**
 * The same with booleans or numbers; 0 is false.
 * @typedef {{data: ArrayLike<number | boolean> & object, shape: readonly number[]} | readonly ArrayLike<number | boolean>[] | readonly (readonly ArrayLike<number | boolean>[])[]} MaskLike
 */

/** @typedef {'additive' | 'dot' | 'scaled-dot' | 'general' | 'low-rank' | 'concat' | 'location' | 'gaussian' | 'cosine' | 'alibi' | 't5' | 'shaw' | 'linear'} ScoreName */
/** @typedef {'soft' | 'argmax' | 'sampled' | 'gate' | 'max-pool' | 'sparsemax' | 'entmax'} SelectionName */
/** @typedef {'global' | 'local-m' | 'local-p'} WindowName */

/**
 * Local attention (Luong et al. 2015): a query sees keys j with |j - p| <= D.
 * @typedef {object} WindowOptions
 * @property {WindowName} [kind] 'global', the default: every key. 'local-m': p = min(t, S - 1), t the query's
 *   position, S the number of keys without padding. 'local-p': p = S sigmoid(v_p' tanh(W_p q)), and weights are
 *   multiplied by exp(-(j - p)^2 / (2 (D / 2)^2)). So a row may not sum to 1
 * @property {number} [halfWidth] D, in positions; 0 or more, for 'local-p' above 0. Default 0
 * @property {number} [sinks] only for 'local-m': the number of keys at the beginning that every query also sees, at any
 *   distance (Xiao et al. 2023). Default 0
 * @property {TensorLike} [W_p] only for 'local-p': [n, query dim], or [heads, n, query dim]
 * @property {TensorLike} [v_p] only for 'local-p': [n], or [heads, 1, n]
 * @property {TensorLike} [centres] p itself, instead of W_p and v_p: [queries], or [heads, queries], in positions
 */

/**
 * The keys that a query may not see. A query that sees no key gets zeros.
 * @typedef {object} MaskOptions
 * @property {boolean} [causal] query i sees the keys up to its own position, firstQuery + i. Default false
 * @property {number} [firstQuery] the position of query 0, for `causal`, windows and ALiBi: the number of earlier
 *   queries. Default 0
 * @property {number} [paddingFrom] keys from this one on are padding. Default: none are
 * @property {MaskLike} [allowed] [queries, keys] or [heads, queries, keys]: if false, the query does not see the
 *   key
 * @property {TensorLike} [bias] the same shapes: added to scores; -Infinity hides the key
 */

/** @typedef {'weights' | 'scores' | 'logits' | 'empty' | 'chosen' | 'centres'} Recorded */

/**
 * The tensors that can be recorded, for H heads, Q queries and K keys. If `query` has no axis of heads, neither have they.
 * @typedef {object} Records
 * @property {Tensor} weights [H, Q, K]: the weights of the values; 0 where a query does not see the key
 * @property {Tensor} scores [H, Q, K], of all pairs, before the mask and the temperature
 * @property {Tensor} logits [H, Q, K]: the input of the selection; -Infinity where a query does not see the key
 * @property {{data: Uint8Array, shape: number[]}} empty [H, Q]: 1 if the query sees no key
 * @property {{data: Int32Array, shape: number[]}} chosen [H, Q]: the key of a hard selection, otherwise the key with
 *   the largest weight, which is a pointer's output (Vinyals et al. 2015); -1 if there is none
 * @property {Tensor | null} centres [H, Q]: p of the window, in positions; null if the window is global
 */

/**
 * The choices of score, selection, window and mask. All are optional, and each works with every other.
 * @template {Recorded} [R=Recorded]
 * @typedef {object} Choices
 * @property {ScoreName} [score] the function that compares a query and a key; default 'scaled-dot', q'k / sqrt(d)
 *   (Vaswani et al. 2017). `scores()` lists them with equations and papers
 * @property {Record<string, TensorLike | number>} [parameters] of the score, by the names in its equation: [rows,
 *   columns], or [heads, rows, columns] with one for each head. A list is one row; a number is [1]
 * @property {SelectionName} [selection] how weights are computed from logits. 'soft', the default: softmax. 'argmax': the
 *   key of the largest logit. 'sampled': a key drawn from the softmax (Xu et al. 2015). 'gate': the sigmoid of each
 *   logit. 'max-pool': for each column the largest value. 'sparsemax' (Martins and Astudillo 2016) and 'entmax' (Peters et
 *   al. 2019): like softmax, with exact zeros
 * @property {number} [alpha] of 'entmax', from 1, the softmax, to 3; 2 is sparsemax. Default 1.5
 * @property {number} [temperature] logits are divided by it; 1e-30 or more. Default 1
 * @property {number | bigint} [seed] of 'sampled': a whole number below 2^53, or a bigint below 2^64. The draw of a (seed,
 *   head, query) is always the same. Default 0
 * @property {WindowOptions} [window]
 * @property {MaskOptions} [mask]
 * @property {boolean} [maskUsed] for pointer networks: a key that an earlier query of the head has chosen is masked. Default
 *   false
 * @property {'rows' | 'columns'} [convention] 'rows', the default: softmax(Q K' / sqrt(d)) V, a vector is a row. 'columns':
 *   V softmax(K' Q / sqrt(d)), a vector is a column. Then inputs, output, masks and recorded matrices are transposed:
 *   [H, d, Q], [H, dv, Q], [H, K, Q]. Parameters, centres, `empty` and `chosen` are the same in both
 * @property {readonly R[]} [record] the records to return besides the output; default: all. With [] no matrix of
 *   queries times keys is stored. Then memory grows linearly with the length, for long sequences
 */

/**
 * The weights of multi-head attention (Vaswani et al. 2017, section 3.2.2), each [outputs, inputs]; a missing one is
 * the identity.
 * @typedef {object} Layer
 * @property {TensorLike} [query] [heads * query dim, inputs]
 * @property {TensorLike} [key] [keyHeads * key dim, inputs]
 * @property {TensorLike} [value] [keyHeads * value dim, inputs]
 * @property {TensorLike} [output] [outputs, heads * value dim]
 */

/**
 * Keys and values that a layer has projected, for later queries. A plain value: it can be stored, copied or sent.
 * @typedef {object} LayerMemory
 * @property {Tensor} keys [rows, keyHeads * key dim]
 * @property {Tensor} values [rows, keyHeads * value dim]
 */

export {};
