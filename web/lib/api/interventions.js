// The types of changes to a model's forward pass. The engine reads and checks the changes (core/explain/parse_changes.cc).

/** @typedef {ArrayLike<number>} Places a list, or a typed array */
/** @typedef {Places | ArrayLike<Places>} Table a row for all queries, or a matrix [queries][keys] */

/**
 * @typedef {object} InterventionPlace
 * @property {'encoder' | 'decoder' | 'cross'} [attention] self-attention of one side, or cross attention; default: all
 * @property {number} [layer] from 0; default: all
 * @property {number} [head] from 0; default: all
 * @property {Places} [queries] rows of the attention, as in a trace; default: all
 * @property {Places} [keys] columns of the attention; default: all
 * @property {number} [sentence] the number of a sentence of the text, from 0; default: all
 * @property {'attention'} [block]
 */

/**
 * `off`: the weights are 0, and the head returns zeros. `uniform`: all keys that the query may see get equal weights.
 * `hide`: the keys are masked, and the other weights sum to 1 again. `add`: a number, one number for each key, or a matrix
 * [queries][keys] is added to the logits. `set`: these are the weights, as a row for all queries or as a matrix; each row
 * sums to 1. `temperature`: the logits are divided by it. `off` with a `block` switches off a feed-forward block or a whole
 * layer.
 * @typedef {InterventionPlace & {kind: 'off' | 'uniform'}
 *   | InterventionPlace & {kind: 'hide', keys: Places}
 *   | InterventionPlace & {kind: 'add', value: number | Table}
 *   | InterventionPlace & {kind: 'set', weights: Table}
 *   | InterventionPlace & {kind: 'temperature', value: number, keys?: undefined}
 *   | {kind: 'off', block: 'feedForward' | 'layer', side?: 'encoder' | 'decoder', layer?: number, sentence?: number}
 *   } Intervention one change (docs/interventions.md)
 */

export {};
