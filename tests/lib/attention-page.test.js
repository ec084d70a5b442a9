// The parts of the page Attention that need no browser: its explanations give the engine's numbers, and its links and programs
// have the whole state.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { javascriptOf } from '../../web/demo/attention/code.js';
import { compute } from '../../web/demo/attention/compute.js';
import { textPiecesOf } from '../../web/demo/attention/expression.js';
import { readLink, writeLink } from '../../web/demo/attention/link.js';
import { presetOf, presets, stateOfPreset } from '../../web/demo/attention/presets.js';
import { oriented, stagesOf } from '../../web/demo/attention/stages.js';
import { completed, firstState } from '../../web/demo/attention/state.js';
import { scores as listScores } from '../../web/lib/attention/index.js';
import { at } from './support.js';

const scores = await listScores();
const complete = (patch) => completed({ ...firstState(), ...patch }, scores);

/** The value of an expression in float64; NaN if the expression has words. */
function valueOf(expression) {
  const parts = expression.parts?.map(valueOf);
  switch (expression.op) {
    case 'number':
      return expression.value;
    case 'sum':
      return parts.reduce((a, b) => a + b, 0);
    case 'product':
      return parts.reduce((a, b) => a * b, 1);
    case 'quotient':
      return parts[0] / parts[1];
    case 'minus':
      return -parts[0];
    case 'square':
      return parts[0] ** 2;
    case 'sigmoid':
      return 1 / (1 + Math.exp(-parts[0]));
    case 'largest':
      return Number(parts.indexOf(Math.max(...parts)) === expression.pick);
    case 'max':
      return Math.max(...parts);
    case 'words':
      return NaN;
    case 'zero':
      return 0;
    default:
      return Math[expression.op](parts[0]);
  }
}

const kChoices = [
  ...scores.map(({ name }) => ({ score: name })),
  ...['soft', 'argmax', 'sampled', 'gate', 'max-pool', 'sparsemax', 'entmax'].map((selection) => ({
    selection,
    temperature: 2,
  })),
  { selection: 'entmax', alpha: 1.25 },
  { selection: 'entmax', alpha: 1 },
  { selection: 'sparsemax', window: 'local-p', halfWidth: 2 },
  { window: 'local-m', halfWidth: 1 },
  { window: 'local-m', halfWidth: 0.5, sinks: 2, causal: true },
  { window: 'local-p', halfWidth: 2 },
  { window: 'local-p', halfWidth: 2, centres: [[0.5, 1.5, 2.5]] },
  { window: 'local-p', halfWidth: 2, selection: 'max-pool' },
  { causal: true, padding: 1 },
  { allowed: [[1, 0, 1, 1]], bias: [[0.5, -1, 0, -Infinity]] },
  { once: true, selection: 'argmax' },
  { memory: 'self' },
  { memory: 'one' },
  { memory: 'self', heads: 3, causal: true },
  { memory: 'one', joined: true },
  ...['alibi', 'general', 'cosine', 'shaw', 't5'].map((score) => ({ score, heads: 2, ...wide(), head: 1 })),
];

/** Sizes that two heads can share. */
function wide() {
  const rows = (count, from) =>
    Array.from({ length: count }, (_, r) => [0, 1, 2, 3].map((c) => ((r * 3 + c + from) % 7) / 2 - 1));
  return { query: rows(3, 0), key: rows(4, 1), value: rows(4, 2) };
}

const kNamed = kChoices.flatMap((choice) =>
  ['rows', 'columns'].map((convention) => [JSON.stringify({ ...choice, convention }), { ...choice, convention }]),
);

test.each(kNamed)('each sum is the number beside it: %s', async (_, choice) => {
  const state = complete(choice);
  const stages = stagesOf(state, await compute(state), 1).map((stage) => oriented(stage, state));
  expect(stages.at(-1).id).toBe('context');
  let sums = 0;
  for (const { id, rows, columns, data, explain } of stages) {
    for (let r = 0; r < rows.length; ++r) {
      for (let c = 0; c < columns.length; ++c) {
        const expression = explain(r, c);
        const shown = data[r * columns.length + c];
        const text = textPiecesOf(expression, (x) => x.toFixed(2)).map((piece) => piece.text);
        expect(text.join('').length).toBeGreaterThan(0);
        const made = valueOf(expression);
        if (expression.op === 'words') {
          expect([0, 1, -Infinity].includes(shown) || choice.selection === 'max-pool').toBe(true);
          continue;
        }
        ++sums;
        // The numbers of a sum are floats. It has a few dozen terms, each below 10.
        expect([id, r, c, Math.abs(made - shown) < 2e-5 * Math.max(1, Math.abs(shown))]).toEqual([id, r, c, true]);
      }
    }
  }
  expect(sums).toBeGreaterThan(10);
});

test('rows and columns give the same numbers', async () => {
  for (const choice of kChoices) {
    const [byRows, byColumns] = await Promise.all(
      ['rows', 'columns'].map((convention) => compute(complete({ ...choice, convention }))),
    );
    for (const name of ['scores', 'logits', 'weights', 'output']) {
      expect(Array.from(byColumns[name].data)).toEqual(Array.from(byRows[name].data));
    }
  }
});

test.each(presets.map(({ id }) => id))('%s: a link holds the whole state', (id) => {
  const own = completed(stateOfPreset(id), scores);
  const stateOf = (name) => (presetOf(name) ? stateOfPreset(name) : null);
  const read = (state) => completed(readLink(writeLink(state, own), stateOf), scores);
  expect(read(own)).toEqual(own);
  expect(read({ ...own, pinned: null })).toEqual({ ...own, pinned: null });
  const changed = completed(
    {
      ...own,
      score: 'additive',
      parameters: {},
      selection: 'sampled',
      seed: 7,
      temperature: 0.5,
      alpha: 2.25,
      sinks: 2,
      window: 'local-p',
      halfWidth: 2.5,
      centres: null,
      W_p: [],
      v_p: [],
      causal: !own.causal,
      padding: 1,
      allowed: [[1, 0]],
      bias: [[-Infinity, 0.25]],
      once: !own.once,
      convention: 'columns',
      memory: 'one',
      queryNames: ['a & b', '=', '#'],
      random: 12,
      step: 'weights',
      pinned: { matrix: 'weights', row: 0, column: 1 },
      query: own.query.map((row) => row.map((x) => x - 0.125)),
    },
    scores,
  );
  expect(read(changed)).toEqual(changed);
});

test('a changed link opens a valid state, or an error with the reason', async () => {
  const stateOf = (name) => (presetOf(name) ? stateOfPreset(name) : null);
  const links = [
    '#preset=nothing&score=rm&query=1_2*3',
    '#query=',
    '#query=1e99_2&heads=0&temperature=0&padding=-1',
    '#query=NaN&key=Infinity',
    '#key=1_2_3&value=1*2*3&heads=8',
    `#query=${'1_'.repeat(100)}1`,
    '#preset=local&centres=none&s.t=abc&at=weights*99*99&step=x',
    `#${'a'.repeat(100_000)}`,
    '#heads=3.5&window=local-m&halfWidth=1e9&p.W=1*2*3*4*5&score=location',
    '#preset=__proto__&memory=constructor&p.__proto__=1',
  ];
  for (const link of links) {
    const state = completed(readLink(link, stateOf), scores);
    const outcome = await compute(state).then(
      () => 'computed',
      (error) => error.code,
    );
    expect(['computed', 'INVALID_ARGUMENT']).toContain(outcome);
  }
});

/** The numbers that a program prints, with two digits, by name. */
async function printed(program) {
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: at('.') });
  const { stdout, stderr } = await run;
  expect(stderr).toBe('');
  const parts = stdout.trim().split(/^(?=[a-z]+ \[)/m);
  return Object.fromEntries(
    parts.map((part) => {
      const [head, ...lines] = part.trim().split('\n');
      return [head.split(' ')[0], lines.flatMap((line) => line.split(' ').map(Number))];
    }),
  );
}

const kPrograms = [
  { score: 'general', heads: 2, ...wide(), convention: 'columns' },
  ...kChoices.filter((_, i) => i % 3 === 0),
];

test.each([
  ...presets.map(({ id }) => [id, stateOfPreset(id)]),
  ...kPrograms.map((choice) => [JSON.stringify(choice).slice(0, 60), choice]),
])('the program of %s prints its numbers', async (_, choice) => {
  const state = completed({ ...firstState(), ...choice }, scores);
  const result = await compute({ ...state, convention: 'rows' });
  const found = await printed(javascriptOf({ ...state, convention: 'rows' }));
  for (const name of ['scores', 'logits', 'weights', 'output']) {
    const wanted = Array.from(result[name].data, (x) => Number(x.toFixed(2)));
    expect([name, found[name].map((x) => x + 0)]).toEqual([name, wanted.map((x) => x + 0)]);
  }
});
