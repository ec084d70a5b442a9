// Turns the caller's choices into the engine's request.
import { described, invalid, readFields } from '../base/arguments.js';
import { readFlag, readName, readNumber, readText, readWhole } from './fields.js';
import { readMask, readTensor } from './tensor.js';

/** @typedef {import('../engine/glue.js').WasmTensor} WasmTensor */
/** @typedef {import('../engine/glue.js').WasmChoices} WasmChoices */
/** @typedef {import('./options.js').Recorded} Recorded */
/** @typedef {import('./tensor.js').Bytes} Bytes */
/** @typedef {import('./options.js').Tensor} Tensor */

export const choiceNames = /** @type {const} */ ([
  'score',
  'parameters',
  'selection',
  'temperature',
  'alpha',
  'seed',
  'window',
  'mask',
  'maskUsed',
  'convention',
  'record',
]);

const kRecorded = /** @type {const} */ (['weights', 'scores', 'logits', 'empty', 'chosen', 'centres']);
const kWindow = ['kind', 'halfWidth', 'sinks', 'W_p', 'v_p', 'centres'];
const kMask = ['causal', 'firstQuery', 'paddingFrom', 'allowed', 'bias'];

/**
 * The sizes that masks and centres must have: those of the result, with one head if it has no axis of heads.
 * @typedef {{heads: number, queries: number, keys: number}} Sizes
 */

/**
 * @param {Record<string, any>} options
 * @param {Sizes} sizes
 * @returns {WasmChoices}
 */
export function readChoices(options, sizes) {
  const columns = isByColumns(options);
  const window = readWindow(options.window, sizes);
  return {
    score: readText(options.score ?? 'scaled-dot', 'score'),
    parameters: readParameters(options.parameters),
    selection: readText(options.selection ?? 'soft', 'selection'),
    temperature: readNumber(options.temperature ?? 1, 'temperature'),
    alpha: readNumber(options.alpha ?? 1.5, 'alpha'),
    ...readSeed(options.seed ?? 0),
    window,
    mask: readMaskOptions(options.mask, sizes, columns),
    maskUsed: readFlag(options.maskUsed, 'maskUsed'),
    columns,
    record: readRecord(options.record, window.kind !== 'global'),
  };
}

/** @param {Record<string, any>} options */
export const isByColumns = (options) =>
  readName(options.convention, 'convention', /** @type {const} */ (['rows', 'columns'])) === 'columns';

/**
 * A tensor with an axis of heads, which is added if it is missing. `given` is the original shape.
 * @template {Tensor | Bytes} T
 * @param {T} tensor
 * @returns {T & {given: number[]}}
 */
export function withHeads(tensor) {
  const shape = [...Array(3 - tensor.shape.length).fill(1), ...tensor.shape];
  return /** @type {any} */ ({ ...tensor, shape, given: tensor.shape });
}

/** @param {unknown} parameters */
function readParameters(parameters) {
  if (parameters === undefined) return [];
  if (typeof parameters !== 'object' || parameters === null) {
    throw invalid('parameters', `expected an object of tensors, got ${described(parameters)}`);
  }
  return Object.entries(parameters).map(([name, value]) => {
    const tensor = typeof value === 'number' ? readTensor([value], name, [1]) : readTensor(value, name, [1, 2, 3]);
    return { name, ...withHeads(tensor) };
  });
}

/** @param {unknown} seed */
function readSeed(seed) {
  const isSeed =
    typeof seed === 'bigint' ? seed >= 0n && seed < 1n << 64n : Number.isSafeInteger(seed) && Number(seed) >= 0;
  if (!isSeed) throw invalid('seed', 'expected a whole number below 2^53, or a bigint below 2^64');
  const bits = BigInt(/** @type {number | bigint} */ (seed));
  return { seedHigh: Number(bits >> 32n), seedLow: Number(bits & 0xffffffffn) };
}

/**
 * @param {unknown} options
 * @param {Sizes} sizes
 */
function readWindow(options, { heads, queries }) {
  const window = readFields(options, 'window', kWindow);
  /** @type {WasmChoices['window']} */
  const request = {
    kind: readText(window.kind ?? 'global', 'window'),
    halfWidth: readNumber(window.halfWidth ?? 0, 'halfWidth'),
    sinks: readWhole(window.sinks ?? 0, 'sinks'),
  };
  if (window.W_p !== undefined) request.W_p = withHeads(readTensor(window.W_p, 'W_p', [2, 3]));
  if (window.v_p !== undefined) request.v_p = withHeads(readTensor(window.v_p, 'v_p', [1, 2, 3]));
  if (window.centres === undefined) return request;
  const { data, shape } = readTensor(window.centres, 'centres', [1, 2]);
  checkShape('centres', shape, [queries], [heads, queries]);
  request.centres = { data, shape: [shape.length > 1 ? heads : 1, queries, 1], given: shape };
  return request;
}

/**
 * @param {unknown} options
 * @param {Sizes} sizes
 * @param {boolean} columns
 */
function readMaskOptions(options, { heads, queries, keys }, columns) {
  // The masks by position.
  const mask = readFields(options, 'mask', kMask);
  /** @type {WasmChoices['mask']} */
  const request = {
    causal: readFlag(mask.causal, 'causal'),
    firstQuery: readWhole(mask.firstQuery ?? 0, 'firstQuery'),
    isPlaced: mask.firstQuery !== undefined,
  };
  if (mask.paddingFrom !== undefined) request.paddingFrom = readWhole(mask.paddingFrom, 'paddingFrom');
  // The masks by matrix: their shapes must be those of the weights.
  const matrix = columns ? [keys, queries] : [queries, keys];
  const check = (/** @type {string} */ name, /** @type {number[]} */ shape) =>
    checkShape(name, shape, matrix, [heads, ...matrix]);
  if (mask.allowed !== undefined) {
    const allowed = readMask(mask.allowed, 'allowed', [2, 3]);
    check('allowed', allowed.shape);
    request.allowed = withHeads(allowed);
  }
  if (mask.bias !== undefined) {
    const bias = readTensor(mask.bias, 'bias', [2, 3]);
    check('bias', bias.shape);
    request.bias = withHeads(bias);
  }
  return request;
}

/**
 * @param {string} name
 * @param {number[]} shape
 * @param {number[][]} wanted
 */
export function checkShape(name, shape, ...wanted) {
  if (wanted.some((sizes) => sizes.join() === shape.join())) return;
  throw invalid(
    name,
    `expected the shape ${wanted.map((sizes) => `[${sizes.join(', ')}]`).join(' or ')}, got [${shape.join(', ')}]`,
  );
}

/**
 * @param {unknown} record
 * @param {boolean} hasCentres
 */
function readRecord(record, hasCentres) {
  if (record !== undefined && !Array.isArray(record))
    throw invalid('record', `expected a list, got ${described(record)}`);
  const wanted = new Set(record ?? kRecorded);
  for (const name of wanted) readName(name ?? null, 'record', kRecorded);
  const flags = Object.fromEntries(kRecorded.map((name) => [name, wanted.has(name)]));
  return { ...flags, centres: hasCentres && wanted.has('centres'), noCentres: !hasCentres && wanted.has('centres') };
}

/**
 * The bytes of a request's tensors.
 * @param {unknown} request
 * @returns {number}
 */
export function bytesIn(request) {
  if (ArrayBuffer.isView(request)) return request.byteLength;
  if (typeof request !== 'object' || request === null) return 0;
  return Object.values(request).reduce((/** @type {number} */ sum, value) => sum + bytesIn(value), 0);
}
