// A benchmark keeps what it has measured, whatever fails later.

import { runParts } from '../bench/parts.mjs';

test('a part that fails, be it the last, costs no other its rows', async () => {
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
  ];
  await runParts(
    parts,
    (found) => kept.push(...found),
    ({ message }) => errors.push(message),
  );
  expect([kept, errors]).toEqual([
    [1, 2, 3, 4],
    ['at once', 'later', 'last'],
  ]);
});

test('results are kept before the next part begins', async () => {
  const kept = [];
  const seen = [];
  const part = () => (seen.push(kept.length), [0]);
  await runParts([part, part, part], (found) => kept.push(...found), fail);
  expect(seen).toEqual([0, 1, 2]);
});

const fail = (error) => {
  throw error;
};
