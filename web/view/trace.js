// Reads a `qkv-trace/1`: the matrix of a head, the pieces on its axes, and the description of a place in it.

/** @typedef {import('./selection.js').Place} Place */
/** @typedef {'cross' | 'encoderSelf' | 'decoderSelf' | 'alignment'} Kind */
/** @typedef {'source' | 'target'} SideName */

/**
 * @typedef {object} Side
 * @property {string} text
 * @property {string[]} pieces with '▁' where a word begins; the last is '</s>'
 * @property {Label[]} [labels] the shown labels of its pieces; default: those of SentencePiece's pieces
 * @property {ArrayLike<number>} [ids]
 * @property {ArrayLike<number>} begin UTF-16 offsets into `text`
 * @property {ArrayLike<number>} end
 * @property {ArrayLike<number | undefined>} [logProbs] natural logarithms; the target's only
 */

/**
 * @typedef {object} Weights
 * @property {number[]} shape [layers, heads, queries, keys]
 * @property {Float32Array} data
 */

/**
 * The windows of the rows of `cross`.
 * @typedef {object} Window
 * @property {ArrayLike<number>} centres keys from 0, for each query
 * @property {number} halfWidth in keys
 */

/**
 * A trace of a translation. An encoder's trace has no target, and a decoder's has no source.
 * @typedef {object} Trace
 * @property {Side | null} source
 * @property {Side | null} target
 * @property {string[] | null} targetInput the decoder's input: '<pad>', then the target without its last piece; null:
 *   the target itself
 * @property {Weights | null} [encoderSelf]
 * @property {Weights | null} [decoderSelf]
 * @property {Weights | null} [gates] the forget gates of a decoder of SSRUs: [layers, 1, target, units]
 * @property {Weights | null} cross with 0 layers if the model has no attention
 * @property {Window | null} [window] for a recurrent model with local attention
 * @property {{count: number, pieces: string[], ids?: ArrayLike<number>, logProbs: ArrayLike<number>} | null} [alternatives] for each target piece
 *   the `count` likeliest pieces at its place, best first
 * @property {{shape: number[], data: Float32Array, heads: number[][], note?: string} | null} [alignment] [target, source]
 */

/**
 * A piece as it is shown.
 * @typedef {object} Label
 * @property {string} text without the boundary marker
 * @property {boolean} word a word begins here
 * @property {boolean} special a piece without text
 * @property {string} [read] the piece itself, if `text` is another text
 */

/**
 * One head's attention, or the alignment.
 * @typedef {object} Slice
 * @property {Kind} kind
 * @property {number} layer
 * @property {number} head
 * @property {Label[]} queries the rows
 * @property {Label[]} keys the columns
 * @property {SideName} querySide
 * @property {SideName | null} keySide null: the columns are units, not pieces
 * @property {number} keyShift key j is piece j - keyShift of its side; 1 for the decoder's input, which begins with the start piece
 * @property {boolean} causal keys after the query are masked
 * @property {Float32Array} weights [queries, keys]
 * @property {Window | null} window keys outside the window have weight 0
 * @property {boolean} [signed] its numbers are differences of any size, not weights from 0 to 1
 * @property {string} [title] for screen readers; default: 'Attention matrix'
 * @property {number | null} [written] the number of rows that are written; later rows are not drawn; null: all are written
 */

const kUnknown = '<unk>';
const kSpecial = /^(<\/?[a-z0-9]+>|<\|\w+\|>|\[[A-Z]+\])$/;

/**
 * @param {string} piece
 * @param {string} [surface] the text that it stands for, which is shown for an unknown piece
 * @returns {Label}
 */
export function labelOf(piece, surface = '') {
  const word = piece.startsWith('▁');
  if (piece === kUnknown && surface.trim()) return { text: surface.trim(), word, special: true };
  const text = piece.replaceAll('▁', ' ').trim();
  return { text: text || '␣', word, special: kSpecial.test(piece) };
}

/**
 * The labels of a sentence's pieces. A model reads and writes stand-ins for carried parts, and words in capitals in their
 * usual form. Such a piece is shown as its text in the sentence. If several pieces have the same text, the later ones are
 * shown as dots.
 * @param {Side | null} side
 * @returns {Label[]}
 */
export function labelsOf(side) {
  if (!side || side.labels) return side?.labels ?? [];
  const { text, pieces, begin, end } = side;
  return pieces.map((piece, i) => {
    const surface = text.slice(begin[i], end[i]).trim();
    const label = labelOf(piece, surface);
    if (!surface || surface === label.text) return label;
    const isSameText = end[i] === end[i - 1];
    return { ...label, text: isSameText ? '…' : surface, read: label.text };
  });
}

/**
 * The number of layers and heads of a kind. Forget gates count as one more head of the decoder.
 * @param {Trace} trace
 * @param {Kind} kind
 * @returns {[layers: number, heads: number]}
 */
export function headsOf(trace, kind) {
  const [layers, heads] = weightsOf(trace, kind)?.shape ?? [0, 0];
  return [layers, heads + (hasGates(trace, kind) ? 1 : 0)];
}

/** @param {Trace} trace @param {Kind} kind */
const hasGates = (trace, kind) => kind === 'decoderSelf' && !!trace.gates;

/**
 * Whether a head of a kind is the forget gates.
 * @param {Trace} trace
 * @param {Kind} kind
 * @param {number} head
 */
export const isGates = (trace, kind, head) => hasGates(trace, kind) && head === (weightsOf(trace, kind)?.shape[1] ?? 0);

/**
 * The forget gates of a layer: a column for each unit.
 * @param {Trace} trace
 * @param {number} layer
 * @returns {Slice}
 */
function gatesOf({ target, gates }, layer) {
  const { shape, data } = /** @type {Weights} */ (gates);
  const [layers, , rows, units] = shape;
  const at = Math.min(layer, layers - 1) * rows * units;
  return {
    ...{ kind: 'decoderSelf', layer, head: 1, queries: labelsOf(target) },
    keys: Array.from({ length: units }, (_, i) => ({ text: String(i + 1), word: true, special: false })),
    ...{ querySide: 'target', keySide: null, keyShift: 0, causal: false },
    weights: data.subarray(at, at + rows * units),
    window: null,
  };
}

/** @param {Trace} trace @param {Kind} kind */
export function weightsOf(trace, kind) {
  const found = kind === 'alignment' ? trace.cross : trace[kind];
  return found && found.shape[0] * found.shape[1] > 0 ? found : null;
}

/**
 * @param {Trace} trace
 * @param {{kind: Kind, layer: number, head: number}} which
 * @returns {Slice | null} null if the model has no such attention
 */
export function sliceOf(trace, { kind, layer, head }) {
  const encoder = kind === 'encoderSelf';
  const decoder = kind === 'decoderSelf';
  const found = weightsOf(trace, kind);
  if (!found || (kind === 'alignment' && !trace.alignment)) return null;
  if (isGates(trace, kind, head)) return gatesOf(trace, layer);
  // The matrix of the head. A layer or head that does not exist becomes the last one.
  const [layers, heads, rows, columns] = found.shape;
  const size = rows * columns;
  const at = (Math.min(layer, layers - 1) * heads + Math.min(head, heads - 1)) * size;
  return {
    kind,
    layer,
    head,
    queries: labelsOf(encoder ? trace.source : trace.target),
    keys: decoder ? inputLabels(trace) : labelsOf(trace.source),
    querySide: encoder ? 'source' : 'target',
    keySide: decoder ? 'target' : 'source',
    keyShift: decoder && trace.targetInput ? 1 : 0,
    causal: decoder,
    weights: kind === 'alignment' && trace.alignment ? trace.alignment.data : found.data.subarray(at, at + size),
    window: encoder || decoder ? null : (trace.window ?? null),
  };
}

/** The decoder's input. @param {Trace} trace */
function inputLabels({ target, targetInput }) {
  const labels = labelsOf(target);
  return targetInput ? [labelOf(targetInput[0]), ...labels.slice(0, -1)] : labels;
}

/**
 * The alternatives at a target piece's place, best first.
 * @param {Trace} trace
 * @param {number} index of the target piece
 * @returns {{label: Label, piece: string, id: number | null, probability: number, written: boolean}[]} empty if the trace
 *   has none
 */
export function alternativesAt({ target, alternatives }, index) {
  const count = alternatives?.count ?? 0;
  return Array.from({ length: count }, (_, i) => {
    const { pieces, ids, logProbs } = /** @type {NonNullable<typeof alternatives>} */ (alternatives);
    const piece = pieces[index * count + i];
    const probability = Math.exp(logProbs[index * count + i]);
    const id = ids?.[index * count + i] ?? null;
    const written = piece === target?.pieces[index];
    return { label: written ? labelsOf(target)[index] : labelOf(piece), piece, id, probability, written };
  });
}

/** @param {Slice} slice @param {number} query @param {number} key */
export const weightAt = (slice, query, key) => slice.weights[query * slice.keys.length + key];

/** Whether a cell is not drawn, because a mask hides its key or its row is not written yet. @param {Slice} slice @param {number} query @param {number} key */
export const isMasked = (slice, query, key) => (slice.causal && key > query) || query >= (slice.written ?? Infinity);

/** A slice with only its first `written` rows, if its rows are target pieces. @param {Slice} slice @param {number | null} written @returns {Slice} */
export const writtenOf = (slice, written) => (slice.querySide === 'target' ? { ...slice, written } : slice);

/**
 * @param {Slice} slice
 * @param {'absolute' | 'row'} scaling
 * @returns {(query: number, key: number) => number} the value for the colour, 0..1; for signed numbers -1..1, divided by
 *   the largest of them
 */
export function shade(slice, scaling) {
  const { weights } = slice;
  const columns = slice.keys.length;
  if (scaling === 'absolute') {
    const peak = (slice.signed && peakOf(slice)) || 1;
    return (query, key) => weights[query * columns + key] / peak;
  }
  const peaks = slice.queries.map((_, query) => rowMaximum(weights, query * columns, columns) || 1);
  return (query, key) => weights[query * columns + key] / peaks[query];
}

/** @param {Float32Array} weights @param {number} begin @param {number} length */
function rowMaximum(weights, begin, length) {
  let peak = 0;
  for (let i = begin; i < begin + length; ++i) peak = Math.max(peak, Math.abs(weights[i]));
  return peak;
}

/** The largest number of a slice, without its sign. @param {Slice} slice */
export const peakOf = ({ weights }) => rowMaximum(weights, 0, weights.length);

/**
 * The row or column of a piece in this matrix.
 * @param {Slice} slice
 * @param {SideName} side
 * @param {number} piece
 * @returns {Place | null} null if the matrix does not have that side
 */
export function placeOfPiece(slice, side, piece) {
  if (side === slice.querySide) return { query: piece, key: null };
  if (side === slice.keySide) return { query: null, key: piece + slice.keyShift };
  return null;
}

/**
 * The state of a sentence's pieces while a place is highlighted.
 * @param {Slice} slice
 * @param {Place | null} place
 * @param {SideName} side
 * @returns {{pointed: number | null, weights: (number | null)[] | null}} the piece pointed at, and each piece's weight
 */
export function piecesAt(slice, place, side) {
  const none = { pointed: null, weights: null };
  if (!place) return none;
  const { query, key } = place;
  const asQuery = side === slice.querySide && query !== null ? query : null;
  const asKey = side === slice.keySide && key !== null ? key - slice.keyShift : null;
  if (side === slice.keySide && query !== null) {
    const keys = slice.keys.map((_, k) => (isMasked(slice, query, k) ? null : weightAt(slice, query, k)));
    const shown = key === null ? keys : keys.map((weight, k) => (k === key ? weight : null));
    const pieces = slice.keyShift ? [...shown.slice(slice.keyShift), null] : shown;
    return { pointed: asQuery ?? asKey, weights: pieces };
  }
  if (side === slice.querySide && key !== null && query === null) {
    return {
      pointed: asKey,
      weights: slice.queries.map((_, q) => (isMasked(slice, q, key) ? null : weightAt(slice, q, key))),
    };
  }
  return { pointed: asQuery ?? asKey, weights: null };
}

/** @param {number} weight @returns {string} two decimals; '<0.01' for a small number that would round to 0 */
export const formatWeight = (weight) =>
  weight > 0 && weight < 0.005
    ? '<0.01'
    : weight
        .toFixed(2)
        .replace(/^-0\.00$/, '0.00')
        .replace('-', '−');

/**
 * The description of a place: its subject and its related pieces, strongest first.
 * @param {Slice} slice
 * @param {Place} place
 * @param {number} [most] how many pieces to name
 * @returns {{subject: Label, relation: string, links: {label: Label, weight: number | null}[]}} a masked cell's weight is null
 */
export function reading(slice, place, most = 4) {
  // A cell.
  const { query, key } = place;
  const attends = slice.keySide === null ? 'keeps of unit' : slice.kind === 'alignment' ? 'aligns with' : 'attends to';
  if (query !== null && key !== null) {
    const masked = isMasked(slice, query, key);
    const links = [{ label: slice.keys[key], weight: masked ? null : weightAt(slice, query, key) }];
    return { subject: slice.queries[query], relation: masked ? 'cannot see' : attends, links };
  }
  // A row or a column, with its largest weights.
  const row = query !== null;
  const ranked = (row ? slice.keys : slice.queries)
    .map((label, i) => (row ? { label, query, key: i } : { label, query: i, key: /** @type {number} */ (key) }))
    .filter(({ query: q, key: k }) => !isMasked(slice, q, k))
    .map(({ label, query: q, key: k }) => ({ label, weight: weightAt(slice, q, k) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most);
  const seen = slice.keySide === null ? 'is kept at' : slice.kind === 'alignment' ? 'aligns with' : 'is seen by';
  return {
    subject: row ? slice.queries[query] : slice.keys[/** @type {number} */ (key)],
    relation: row ? attends : seen,
    links: ranked,
  };
}

/** @param {Slice} slice @param {Place} place @param {number} [most] */
export function readingText(slice, place, most = 3) {
  const { subject, relation, links } = reading(slice, place, most);
  const named = links.map(({ label, weight }) =>
    weight === null ? `“${label.text}”: it comes later, so it is masked` : `“${label.text}” ${formatWeight(weight)}`,
  );
  return `“${subject.text}” ${relation} ${named.join(', ')}`;
}
