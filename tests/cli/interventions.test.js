// `qkv translate|score --interventions FILE`: what is changed, what a trace says, and what is refused.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const model = join(root, 'web/models/en-fr');
const kLines = ['I love you.', 'Where is the station?', 'My brother is here.'];
const folder = mkdtempSync(join(tmpdir(), 'qkv-interventions-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (changes) => {
  const path = join(folder, 'changes.json');
  writeFileSync(path, typeof changes === 'string' ? changes : JSON.stringify(changes));
  return path;
};
const qkv = (command, input, ...args) =>
  spawnSync(join(root, 'build/native/qkv'), [command, '-m', model, ...args], { encoding: 'utf8', input });
const lines = ({ stdout }) => stdout.trimEnd().split('\n');

const kSecond = [{ kind: 'off', attention: 'cross', layer: 1, sentence: 1 }];

test('one line is changed, and the others are not', () => {
  const plain = lines(qkv('translate', kLines.join('\n')));
  const changed = lines(qkv('translate', kLines.join('\n'), '--intervene', file(kSecond)));
  expect([changed[0], changed[2]]).toEqual([plain[0], plain[2]]);
  expect(changed[1]).not.toBe(plain[1]);
});

test('a trace says which were in force, and shows them', () => {
  const path = join(folder, 'trace.json');
  qkv('translate', kLines.join('\n'), '--interventions', file(kSecond), '--trace', path);
  const traces = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const weights = ({ cross: { shape, data } }) => data.slice(data.length / shape[0]); // of the second layer
  for (const [i, trace] of traces.entries()) {
    expect(trace.interventions).toEqual(kSecond);
    expect(weights(trace).every((weight) => weight === 0)).toBe(i === 1);
  }
  qkv('translate', kLines[0], '--trace', path);
  expect(JSON.parse(readFileSync(path, 'utf8'))).not.toHaveProperty('interventions');
});

test('a score is changed', () => {
  const pair = "I love you.\tJe t'aime.";
  const [first, second] = lines(qkv('score', `${pair}\n${pair}`, '--interventions', file(kSecond)));
  expect([first]).toEqual(lines(qkv('score', pair)));
  expect(Number(second)).toBeLessThan(Number(first) - 1);
});

test.each([
  ['[{"kind":"of"}]', 'interventions[0].kind: must be'],
  ['{}', 'interventions: must be a list of changes'],
  ['[{"kind":"off","head":8}]', 'interventions[0].head: there is no head 8: the last one is 7'],
])('%s is refused', (changes, message) => {
  for (const command of ['translate', 'score']) {
    const { status, stderr } = qkv(command, '', '--interventions', file(changes));
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  }
});

test('no file, and a second model, are refused', () => {
  expect(qkv('score', '', '--interventions', join(folder, 'none.json')).stderr).toMatch('cannot be read');
  expect(qkv('translate', '', '--then', model, '--interventions', file([])).stderr).toMatch('--interventions');
});
