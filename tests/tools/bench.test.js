// A benchmark keeps what it has measured, whatever fails later.

import { chosenRun, compared, comparisonInWords, runsOf } from '../bench/history.mjs';
import { Bench } from '../bench/measure.mjs';
import { runParts } from '../bench/parts.mjs';

test('a part that fails does not affect the rows of other parts', async () => {
  const kept = [];
  const errors = [];
  const fails = (message) => () => {
    throw new Error(message);
  };
  const parts = [
    () => [1, 2],
    fails('at once'),
    async () => [3],
    async () => fails('later')(),
    () => [],
    () => [4],
    async () => fails('last')(),
  ].map((run, i) => ({ name: `part ${i}`, run }));
  await runParts(
    parts,
    (found) => kept.push(...found),
    (name, { message }) => errors.push(`${name}: ${message}`),
  );
  expect([kept, errors]).toEqual([
    [1, 2, 3, 4],
    ['part 1: at once', 'part 3: later', 'part 6: last'],
  ]);
});

test('results are kept before the next part begins', async () => {
  const kept = [];
  const seen = [];
  const part = { name: 'part', run: () => (seen.push(kept.length), [0]) };
  await runParts([part, part, part], (found) => kept.push(...found), fail);
  expect(seen).toEqual([0, 1, 2]);
});

const fail = (name, error) => {
  throw error;
};

test('hosts close even if an engine does not open', async () => {
  const closed = [];
  const open = async ({ name }) => {
    if (name === 'broken') throw new Error('no such module');
    const sample = async () => ({ milliseconds: [1] });
    return { sample, release: async () => {}, close: async () => closed.push(name) };
  };
  const bench = new Bench({ node: { open, close: async () => closed.push('host') } });
  const contender = (name) => ({ name, host: 'node', runsIn: 'node', engine: name, options: {} });
  const rows = await bench.measure({ name: 'work', precision: 'f32' }, [contender('broken'), contender('sound')], 1);
  await bench.close();
  expect(rows.map(({ engine, error, median }) => [engine, error ?? median])).toEqual([
    ['broken', 'no such module'],
    ['sound', 1],
  ]);
  expect(closed).toEqual(['sound', 'host']);
});

describe('a run compared with earlier ones', () => {
  const row = (work, median, isPeer = false) => ({
    work,
    host: 'node',
    engine: isPeer ? 'a peer' : 'qkv',
    isPeer,
    threads: 1,
    median,
  });
  const about = (when, machine, dot) => ({ when, machine, dot: { node: dot } });
  const old = about('2026-01-01T10', 'one processor', 'two steps');
  const other = about('2026-01-02T10', 'another processor', 'two steps');
  const lines = [
    old,
    row('a', 10),
    row('b', 10),
    row('b', 20, true),
    other,
    row('a', 1),
    row('b', 1),
    row('b', 4, true),
  ];
  const runs = runsOf(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const now = [row('a', 10.4), row('b', 10.6), row('b', 21.2, true), row('c', 1)];

  test('names rows that are more than 5 % slower than they were last on such a processor', () => {
    const found = compared(now, chosenRun(runs, 'last', old));
    expect(comparisonInWords(found)).toBe(
      'Compared with earlier: 2 rows, 1 more than 5 % slower\n- b, node, qkv: 10.6 ms instead of 10, 6 % slower',
    );
  });

  test('compares ratios to the best peer where the processor is another one', () => {
    const found = compared(now, chosenRun(runs, '2026-01-02', old));
    expect(found).toEqual([{ name: 'b, node, qkv', unit: 'times the best peer', was: 4, is: 2, slower: 1 }]);
  });

  test('does not compare times of another dot product', () => {
    expect(chosenRun(runs, 'last', about('', 'one processor', 'one instruction')).isAlike).toBe(false);
  });

  test('compares a run with the two-step option with no other', () => {
    const forced = { ...old, noVnni: true };
    expect(chosenRun(runs, 'last', forced).rows).toEqual([]);
    expect(comparisonInWords(compared(now, chosenRun(runs, 'last', forced)))).toMatch(/: 0 rows/);
  });

  test('lists the runs if none matches', () => {
    expect(() => chosenRun(runs, '2025', old)).toThrow(/there are 2026-01-01T10, 2026-01-02T10/);
  });
});
