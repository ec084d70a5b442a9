// `qkv translate|score|encode|fill-mask|generate --interventions FILE`: what is changed, what a trace says, and what is
// refused.
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
const run = (command, folder, input, ...args) =>
  spawnSync(join(root, 'build/native/qkv'), [command, '-m', folder, ...args], { encoding: 'utf8', input });
const qkv = (command, input, ...args) => run(command, model, input, ...args);
const lines = ({ stdout }) => stdout.trimEnd().split('\n');

const kSecond = [{ kind: 'off', attention: 'cross', layer: 1, sentence: 1 }];

test('an intervention changes one line and no other', () => {
  const plain = lines(qkv('translate', kLines.join('\n')));
  const changed = lines(qkv('translate', kLines.join('\n'), '--intervene', file(kSecond)));
  expect([changed[0], changed[2]]).toEqual([plain[0], plain[2]]);
  expect(changed[1]).not.toBe(plain[1]);
});

test('a trace contains the interventions, and its weights show them', () => {
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

test('an intervention changes a score', () => {
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

test('a missing file of interventions and --then are refused', () => {
  expect(qkv('score', '', '--interventions', join(folder, 'none.json')).stderr).toMatch('cannot be read');
  expect(qkv('translate', '', '--then', model, '--interventions', file([])).stderr).toMatch('--interventions');
});

// Models of one text, with 65 lines where two batches are read: the changed line is in the second.
describe.each([
  ['encode', 'bert-sequence', 65],
  ['encode', 'bert-masked', 65, '--vectors'],
  ['fill-mask', 'bert-masked', 65],
  ['generate', 'gpt2', 3, '--max-length=2', '--temperature=0.5', '--seed=1'],
])('qkv %s of %s', (command, name, count, ...args) => {
  const folder = join(root, 'tests/goldens/one-sided', name);
  const texts = Array.from({ length: count }, () => 'The cat sleeps on the [MASK].').join('\n');
  const asked = (...more) => lines(run(command, folder, texts, ...args, ...more));

  test('the line of the change is changed, and no other', () => {
    const plain = asked();
    expect(new Set(plain).size).toBe(1);
    const changed = asked('--interventions', file([{ kind: 'off', block: 'layer', sentence: count - 1 }]));
    expect(changed.slice(0, -1)).toEqual(plain.slice(1));
    expect(changed.at(-1)).not.toBe(plain[0]);
    expect(asked('--interventions', file([]))).toEqual(plain);
  });

  test.each([
    ['[{"kind":"of"}]', 'interventions[0].kind: must be'],
    ['[{"kind":"off","attention":"cross"}]', 'the model has no such attention'],
    ['[{"kind":"off","layer":99}]', 'interventions[0].layer: there is no layer 99'],
    ['[', 'interventions: not valid JSON'],
  ])('%s is refused', (changes, message) => {
    const { status, stderr } = run(command, folder, '', '--intervene', file(changes));
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('qkv explain', () => {
  const asked = (...args) =>
    lines(qkv('explain', `I love you.\tJe t'aime.\n`, ...args)).map((line) => JSON.parse(line));

  test('heads: prints what the absence of each head costs, for each line or as the mean', () => {
    const [{ source, target, score, encoder, decoder, cross }] = asked('heads');
    expect([source.length, target.length]).toEqual([5, 6]);
    expect([encoder.shape, decoder.shape, cross.shape]).toEqual([[4, 8], [2, 8], [2, 8]]); // prettier-ignore
    const changes = file([{ kind: 'off', attention: 'cross', layer: 1, head: 5 }]);
    const [without] = lines(qkv('score', "I love you.\tJe t'aime.", '--interventions', changes));
    expect(cross.data[8 + 5]).toBeCloseTo(score - Number(without), 3);
    const mean = lines(qkv('explain', "I love you.\tJe t'aime.\nI love you.\tJe t'aime.", 'heads', '--mean'));
    expect(mean).toHaveLength(64);
    const [side, layer, head, fall] = mean[48 + 8 + 5].split('\t');
    expect([side, layer, head]).toEqual(['cross', '1', '5']);
    expect(Number(fall)).toBeCloseTo(cross.data[8 + 5], 5);
  });

  test('words, rollout and flow print their matrices', () => {
    expect(asked('words')[0].matrix.shape).toEqual([6, 5]);
    for (const question of ['rollout', 'flow']) expect(asked(question)[0].matrix.shape).toEqual([5, 5]);
  });

  test('questions that cannot be answered are refused', () => {
    expect(qkv('explain', '', 'why').status).toBe(2);
    expect(qkv('explain', '', 'words', '--mean').stderr).toMatch('--mean is for heads');
  });
});
