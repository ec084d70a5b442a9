// Compares the library with the goldens of the attention family (tests/goldens/README.md). Inputs are generated as in the oracle.
// The bounds of errors are those of tests/core/attention_bounds.h and attention_family_test.cc. This file imports nothing, so that
// it also runs in a page.

const kUnit = 2 ** -24;
const kTiny = 1.2e-38;
const gamma = (n) => (n * kUnit) / (1 - n * kUnit);
const sum = (values) => values.reduce((total, x) => total + x, 0);
const size = (shape) => shape.reduce((product, x) => product * x, 1);

// Inputs

/** Uniform in [-1, 1), a multiple of 2^-23: MurmurHash3's finaliser of a counter. */
function generatedValue(seed, i) {
  let h = (Math.imul(seed, 0x9e3779b9) + i) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  h ^= h >>> 16;
  return (h >>> 8) * 2 ** -23 - 1;
}

export function generated(shape, [seed, factor = 1, offset = 0]) {
  const data = Float32Array.from({ length: size(shape) }, (_, i) => generatedValue(seed, i) * factor + offset);
  return { data, shape };
}

/** [1 or heads, rows, columns]. In the goldens a vector is [n] or [heads, n]. */
function parameter({ shape, values }, perHead) {
  const heads = perHead ? shape[0] : 1;
  const [rows, columns] = perHead ? shape.slice(1) : shape;
  return generated([heads, columns === undefined ? 1 : rows, columns ?? rows], values);
}

const parameters = (arrays, perHead) =>
  Object.fromEntries(Object.entries(arrays ?? {}).map(([name, array]) => [name, parameter(array, perHead)]));

export function problemInputs(spec) {
  return {
    query: generated([spec.heads, spec.queries, spec.query_dim], spec.query),
    key: generated([spec.key_heads, spec.keys, spec.key_dim], spec.key),
    value: generated([spec.key_heads, spec.keys, spec.value_dim], spec.value),
    score: spec.score,
    parameters: parameters(spec.parameters, spec.per_head),
  };
}

/** 1 where the value of `seed` is less than `below`. */
const isBelow = ({ seed, below }, i) => generatedValue(seed, i) < Math.fround(below);

function maskOf(mask, spec) {
  const shapeOf = ({ per_head }) => [...(per_head ? [spec.heads] : []), spec.queries, spec.keys];
  const options = { firstQuery: spec.first_query, causal: mask.causal === true };
  if (mask.key_length !== undefined) options.paddingFrom = mask.key_length;
  if (mask.allowed) {
    const shape = shapeOf(mask.allowed);
    const isEmpty = (i) => mask.allowed.empty_rows.includes(Math.floor(i / spec.keys) % spec.queries);
    const data = Uint8Array.from({ length: size(shape) }, (_, i) => !isEmpty(i) && isBelow(mask.allowed, i));
    options.allowed = { data, shape };
  }
  if (mask.bias) {
    options.bias = generated(shapeOf(mask.bias), mask.bias.values);
    options.bias.data.forEach((_, i, data) => isBelow(mask.bias, i) || (data[i] = -Infinity));
  }
  return options;
}

function windowOf(window, spec) {
  const options = { kind: window.kind, halfWidth: window.half_width ?? 0, sinks: window.sinks ?? 0 };
  if (window.centres) options.centres = generated([spec.heads, spec.queries], window.centres);
  return { ...options, ...parameters(window.parameters, spec.per_head) };
}

/** The call of a case, without its selection. */
export const callOf = (spec, inputs, { temperature, window, mask, pointer, alpha = 1.5 }) => ({
  ...inputs,
  temperature,
  alpha,
  window: windowOf(window, spec),
  mask: maskOf(mask, spec),
  maskUsed: pointer?.mask_used === true,
});

// Bounds

const rowOf = ({ data, shape: [heads, rows, columns] }, head, row) =>
  data.subarray(((heads === 1 ? 0 : head) * rows + row) * columns).subarray(0, columns);
const rowsOf = (tensor, head) => Array.from({ length: tensor.shape[1] }, (_, row) => rowOf(tensor, head, row));
const absDot = (x, y) => x.reduce((total, a, c) => total + Math.abs(a * y[c]), 0);
const absProduct = (rows, x) => rows.map((row) => absDot(Array.from(row), x));

/** For a head: functions (i, j) that return a score's measure, |score| <= measure, and its error. */
function scoreBounds(spec, inputs, head) {
  const ofKeys = Math.floor(head / (spec.heads / spec.key_heads));
  const queries = rowsOf(inputs.query, head).map((row) => Array.from(row));
  const keys = rowsOf({ ...inputs.key, shape: inputs.key.shape }, ofKeys).map((row) => Array.from(row));
  const weight = (name) => rowsOf(inputs.parameters[name], head);
  const scalar = (name, fallback) => (inputs.parameters[name] ? rowOf(inputs.parameters[name], head, 0)[0] : fallback);
  const dq = spec.query_dim;
  const dk = spec.key_dim;
  const dots = (i, j) => absDot(queries[i], keys[j]);
  const length = (x) => Math.sqrt(sum(x.map((a) => a * a)));
  const simple = (measure, n) => ({ measure, error: (i, j) => gamma(n) * measure(i, j) + 1e-37 });
  switch (spec.score) {
    case 'additive':
    case 'concat': {
      const joined = spec.score === 'concat' ? weight('W') : null;
      const W_q = joined ? joined.map((row) => row.subarray(0, dq)) : weight('W_q');
      const W_k = joined ? joined.map((row) => row.subarray(dq)) : weight('W_k');
      const w = Array.from(weight(joined ? 'v' : 'w_v')[0], Math.abs);
      const mappedQueries = queries.map((q) => absProduct(W_q, q));
      const mappedKeys = keys.map((k) => absProduct(W_k, k));
      const measure = () => sum(w);
      const inner = (i, j, c) => gamma(dq + dk + 1) * (mappedQueries[i][c] + mappedKeys[j][c]) + 8 * kUnit;
      const error = (i, j) => gamma(w.length + 1) * measure() + sum(w.map((a, c) => a * inner(i, j, c))) + 1e-37;
      return { measure, error };
    }
    case 'low-rank': {
      const mappedQueries = queries.map((q) => absProduct(weight('V'), q));
      const mappedKeys = keys.map((k) => absProduct(weight('U'), k));
      return simple((i, j) => absDot(mappedQueries[i], mappedKeys[j]), dq + dk + mappedQueries[0].length);
    }
    case 'general': {
      const W = weight('W');
      const mapped = queries.map((q) => keys[0].map((_, c) => sum(q.map((a, r) => Math.abs(a * W[r][c])))));
      return simple((i, j) => absDot(mapped[i], keys[j]), dq + dk);
    }
    case 'location': {
      const mapped = queries.map((q) => absProduct(weight('W'), q));
      return simple((i, j) => mapped[i][j], dq);
    }
    case 'gaussian': {
      const w = scalar('w', 1);
      const measure = (i, j) => sum(queries[i].map((q, c) => (w * (q - keys[j][c])) ** 2)) / 2;
      const rounded = (q, k) => kUnit * (Math.abs(q - k) + (w === 1 ? 0 : Math.abs(q) + Math.abs(k)));
      const part = (q, k) => Math.abs(q - k) * rounded(q, k) + rounded(q, k) ** 2 / 2;
      const parts = (i, j) => sum(queries[i].map((q, c) => part(w * q, w * keys[j][c])));
      return { measure, error: (i, j) => parts(i, j) + gamma(dk + 2) * measure(i, j) + 1e-37 };
    }
    case 'cosine': {
      const lengths = (i, j) => length(queries[i]) * length(keys[j]) * scalar('temperature', 1);
      return simple((i, j) => dots(i, j) / lengths(i, j), dk + 5);
    }
    case 'alibi': {
      const slope = scalar('slope', 2 ** ((-8 * (head + 1)) / spec.heads));
      const far = (i, j) => slope * Math.abs(spec.first_query + i - j);
      const measure = (i, j) => dots(i, j) / Math.sqrt(dk) + far(i, j);
      const error = (i, j) => gamma(dk + 3) * measure(i, j) + kUnit * (16 * far(i, j) + measure(i, j)) + 1e-37;
      return { measure, error };
    }
    case 't5': {
      const number = Math.max(...inputs.parameters.b.data.map(Math.abs));
      const measure = (i, j) => dots(i, j) + number;
      return { measure, error: (i, j) => (gamma(dk) + 2 * kUnit) * measure(i, j) + 1e-37 };
    }
    case 'shaw': {
      const rows = weight('A_k');
      const largest = keys[0].map((_, c) => Math.max(...rows.map((row) => Math.abs(row[c]))));
      return simple((i, j) => (dots(i, j) + absDot(queries[i], largest)) / Math.sqrt(dk), dk + 5);
    }
    case 'linear': {
      const feature = (x) => (x > 0 ? x + 1 : Math.exp(x));
      const measure = (i, j) => Math.abs(Math.log(sum(queries[i].map((q, c) => feature(q) * feature(keys[j][c])))));
      return { measure, error: (i, j) => gamma(dk + 5) + kUnit * measure(i, j) + 1e-37 };
    }
    case 'scaled-dot':
      return simple((i, j) => dots(i, j) / Math.sqrt(dk), dk + 3);
    default:
      return simple(dots, dk);
  }
}

// Comparison

/** One row of one combination. `complain(what, got, wanted, bound)` is called for each value outside its bound. */
function compareRow({ spec, call, answer, expected, result, bounds, head, query, complain }) {
  const { keys, value_dim: dv } = spec;
  const row = head * spec.queries + query;
  const ofKeys = Math.floor(head / (spec.heads / spec.key_heads));
  const near = (what, got, wanted, bound) => {
    if (!(got === wanted || Math.abs(got - wanted) <= bound)) complain(what, got, wanted, bound);
  };
  const isSoft = answer.selection === 'soft' || answer.selection === 'sampled';
  const isExact = answer.selection === 'argmax' || answer.selection === 'max-pool';
  const biasOf = (j) => maskAt(call.mask, spec, head, query, j);
  const isSeen = (j) => (expected.logits ? expected.logits[row * keys + j] : biasOf(j)) !== -Infinity;
  const seen = Array.from({ length: keys }, (_, j) => j).filter(isSeen);
  const logit = (j) => expected.logits[row * keys + j];

  const logitError = (j, measure) => (bounds.error(query, j) + 3 * kUnit * measure) / call.temperature;
  const measures = seen.map((j) => bounds.measure(query, j) + Math.abs(biasOf(j)));
  const error = Math.max(0, ...seen.map((j, n) => logitError(j, measures[n])));
  const largest = expected.logits ? Math.max(...seen.map(logit)) : 0;
  const range = Math.max(0, ...measures) / call.temperature;
  // For sparse weights [x - tau]_+^e: tau changes by at most the change of x.
  const alpha = { sparsemax: 2, entmax: call.alpha }[answer.selection];
  const power = alpha ? 1 / (alpha - 1) : 0;
  const moved = alpha ? 2 * (alpha - 1) * error : 0;
  const sparseError = !alpha ? 0 : power >= 1 ? Math.expm1(power * Math.log1p(moved)) : moved ** power;
  const weightError = (j) => {
    if (isExact) return call.window.kind === 'local-p' ? 4 * kUnit : 0;
    if (power !== 0) return 5 * kUnit;
    const below = !expected.logits ? 2 * range : isSoft ? largest - logit(j) : Math.abs(logit(j));
    const rounding = kUnit * (2 * below + 13) + (isSoft ? gamma(seen.length) : 0);
    return Math.expm1((isSoft ? 2 : 1) * error) * (1 + rounding) + rounding;
  };

  if (expected.logits) {
    const shares = answer.selection === 'max-pool' ? gamma(dv + 1) : 0;
    for (let j = 0; j < keys; ++j) {
      const at = row * keys + j;
      near('score', result.scores.data[at], expected.scores[at], bounds.error(query, j));
      const measure = Math.abs(expected.scores[at]) + Math.abs(biasOf(j));
      near('logit', result.logits.data[at], logit(j), isSeen(j) ? logitError(j, measure) : 0);
      if (answer.selection === 'sampled') continue;
      const weight = expected.weights[at];
      const room = weight * (weightError(j) + shares) + sparseError + (isExact ? 0 : kTiny);
      near('weight', result.weights.data[at], isSeen(j) ? weight : 0, isSeen(j) ? room : 0);
    }
    near('empty', result.empty.data[row], seen.length === 0 ? 1 : 0, 0);
    if (expected.centres) {
      near('centre', result.centres.data[row], expected.centres[row], 2 * kUnit * Math.abs(expected.centres[row]));
    }
  }
  // The most that a score adds to a value for its distance.
  const table = call.parameters.A_v;
  const movedBy = (c) => (table ? Math.max(...rowsOf(table, head).map((row) => Math.abs(row[c]))) : 0);
  if (answer.selection === 'sampled') return compareDraw({ result, expected, row, keys, seen, complain });
  if (answer.indices) near('chosen', result.chosen.data[row], answer.indices[expected.rows.indexOf(row)], 0);
  for (let c = 0; expected.output && c < dv; ++c) {
    const values = seen.map((j) => Math.abs(rowOf(call.value, ofKeys, j)[c]) + movedBy(c));
    const weights = seen.map((j) => (expected.weights ? expected.weights[row * keys + j] : 1));
    let bound = sum(
      seen.map((j, n) => values[n] * (weights[n] * weightError(j) + sparseError + (isExact ? 0 : kTiny))),
    );
    bound += gamma(seen.length + 3) * (sum(weights.map((w, n) => w * values[n])) + bound);
    if (!expected.weights && answer.selection !== 'gate') {
      bound = Math.max(0, ...values) * (weightError(0) + gamma(seen.length + 1)) * 1.001 + kTiny;
    }
    const wanted = expected.output[expected.rows.indexOf(row) * dv + c];
    if (answer.selection === 'max-pool') bound = call.window.kind === 'local-p' ? 5 * kUnit * Math.abs(wanted) : 0;
    near(`output ${c}`, result.output.data[row * dv + c], wanted, bound);
  }
}

/** Compares a sampled key: its probability must be above 0, and it alone has weight. */
function compareDraw({ result, expected, row, keys, seen, complain }) {
  const chosen = result.chosen.data[row];
  const isRight =
    seen.length === 0 ? chosen === -1 : seen.includes(chosen) && expected.weights[row * keys + chosen] > 0;
  if (!isRight) complain('draw', chosen, seen.join(), 0);
  const taken = Array.from(result.weights.data.subarray(row * keys, (row + 1) * keys), (w) => w > 0);
  if (taken.some((isTaken, j) => isTaken && j !== chosen)) complain('draw', taken.join(), chosen, 0);
}

/** What the arrays of the mask add to a score. */
function maskAt({ allowed, bias }, spec, head, query, j) {
  const at = ({ data, shape }) => data[((shape.length === 3 ? head : 0) * spec.queries + query) * spec.keys + j];
  if (allowed && at(allowed) === 0) return -Infinity;
  return bias ? at(bias) : 0;
}

/**
 * @param {(options: object) => Promise<any>} attention the library's
 * @param {{problems: any[], cases: any[]}} goldens attention.json
 * @param {Float64Array} exact attention.bin
 * @returns {Promise<{combinations: number, failures: string[]}>}
 */
export async function compareWithGoldens(attention, { problems, cases }, exact) {
  const failures = [];
  let combinations = 0;
  const inputs = problems.map(problemInputs);
  const bounds = problems.map((spec, n) =>
    Array.from({ length: spec.heads }, (_, head) => scoreBounds(spec, inputs[n], head)),
  );
  for (const [number, one] of cases.entries()) {
    const spec = problems[one.problem];
    const call = callOf(spec, inputs[one.problem], one);
    const from = (offset) => (offset === undefined ? undefined : exact.subarray(offset));
    const rows = one.rows ?? Array.from({ length: spec.heads * spec.queries }, (_, row) => row);
    for (const answer of one.answers) {
      ++combinations;
      const result = await attention({ ...call, selection: answer.selection });
      const expected = {
        rows,
        scores: from(spec.scores),
        logits: from(one.logits),
        centres: from(one.centres),
        weights: from(answer.weights),
        output: from(answer.output),
      };
      for (const row of rows) {
        const [head, query] = [Math.floor(row / spec.queries), row % spec.queries];
        const complain = (what, got, wanted, bound) =>
          failures.push(
            `case ${number}, ${spec.score}, ${answer.selection}, row ${row}: ${what} ${got}, not ${wanted} +- ${bound}`,
          );
        compareRow({ spec, call, answer, expected, result, bounds: bounds[one.problem][head], head, query, complain });
      }
    }
  }
  return { combinations, failures: failures.slice(0, 20) };
}
