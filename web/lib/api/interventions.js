// Changes to a model's forward: their types. The engine reads and checks them (core/explain/parse_changes.cc).

/** @typedef {ArrayLike<number>} Places a list, or a typed array */
/** @typedef {Places | ArrayLike<Places>} Table a row for all queries, or a matrix [queries][keys] */

/**
 * @typedef {object} InterventionPlace
 * @property {'encoder' | 'decoder' | 'cross'} [attention] self-attention of one side, or cross attention; left out: all
 * @property {number} [layer] from 0; left out: all
 * @property {number} [head] from 0; left out: all
 * @property {Places} [queries] rows of the attention, as in a trace; left out: all
 * @property {Places} [keys] columns of it; left out: all
 * @property {number} [sentence] of a text with several sentences, which one, from 0; left out: all
 * @property {'attention'} [block]
 */

/**
 * `off`: the weights are 0, and the head returns zeros. `uniform`: equal weights over what the query may see. `hide`:
 * the keys are masked, and the rest sums to 1 again. `add`: a number, one for each key, or a matrix [queries][keys] is
 * added to the logits. `set`: these weights, a row for all queries or a matrix; each row sums to 1. `temperature`: the
 * logits are divided by it. The last two switch a feed-forward block, or a whole layer, off.
 * @typedef {InterventionPlace & {kind: 'off' | 'uniform'}
 *   | InterventionPlace & {kind: 'hide', keys: Places}
 *   | InterventionPlace & {kind: 'add', value: number | Table}
 *   | InterventionPlace & {kind: 'set', weights: Table}
 *   | InterventionPlace & {kind: 'temperature', value: number, keys?: undefined}
 *   | {kind: 'off', block: 'feedForward' | 'layer', side?: 'encoder' | 'decoder', layer?: number, sentence?: number}
 *   } Intervention one change (docs/interventions.md)
 */

export {};
