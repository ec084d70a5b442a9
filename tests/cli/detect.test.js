// qkv vocab --for language, qkv train, qkv detect, and the JavaScript model that web/tools/pack-detector.mjs makes.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readText } from '../../web/lib/detect/model.js';
import { readWeights } from '../../web/lib/detect/weights.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = join(root, 'build/native/qkv');
const languages = ['de', 'el', 'en', 'ru', 'uk'];
const texts = [
  ['Wo ist der Bahnhof, und wann fährt der nächste Zug nach München?', 'de'],
  ['Ich möchte gern ein Stück Kuchen und eine Tasse Kaffee haben.', 'de'],
  ['Πού είναι ο σταθμός και πότε φεύγει το τρένο;', 'el'],
  ['Θα ήθελα έναν καφέ, παρακαλώ.', 'el'],
  ['Where is the station, and when does the next train leave?', 'en'],
  ['I would like to have a piece of cake and a cup of coffee.', 'en'],
  ['Где находится вокзал, и когда отходит следующий поезд?', 'ru'],
  ['Я хотел бы кусок торта и чашку кофе, пожалуйста.', 'ru'],
  ['Де знаходиться вокзал, і коли відходить наступний поїзд?', 'uk'],
  ['Я хотів би шматок торта і чашку кави, будь ласка.', 'uk'],
];

let folder;
const run = (args, input = '') => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', input });
  return { status, stdout, stderr };
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  const lines = Array.from({ length: 8 }, () => texts.map((pair) => `${pair.join('\t')}\n`)).flat();
  writeFileSync(join(folder, 'texts.tsv'), lines.join(''));
  const config = {
    task: 'language',
    out: 'language',
    labels: languages,
    vocabulary: 'vocabulary',
    corpora: [{ path: 'texts.tsv' }],
    dev: 'texts.tsv',
    model: { columns: 8, heads: 2 },
    batch: { tokens: 4000, longest: 2000 },
    optimiser: { smoothing: 0 },
    schedule: { kind: 'cosine', peak: 0.05, warmup: 10 },
    steps: 150,
    measure: { every: 150 },
  };
  writeFileSync(join(folder, 'run.json'), JSON.stringify(config));
  const vocabulary = ['vocab', '--for', 'language', '--data', join(folder, 'texts.tsv'), '--size', '300'];
  expect(run([...vocabulary, '-o', join(folder, 'vocabulary')])).toMatchObject({ status: 0, stderr: '' });
  expect(run(['train', join(folder, 'run.json'), '--threads', '1'])).toMatchObject({ status: 0 });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

const kAsked = [
  ...texts.map(([text]) => text),
  'WANN FÄHRT DER ZUG',
  'the next cup',
  'чашка',
  'και',
  'İstanbul’da',
  'a',
  '123 !?',
  '',
  '🙂 ok 🙂',
];

test('a detector that was trained says which language a line is in, natively and in JavaScript', () => {
  const model = join(folder, 'language', 'model');
  const { status, stdout } = run(['detect', '--model', model, '--top', '5'], `${kAsked.join('\n')}\n`);
  expect(status).toBe(0);
  const answers = stdout.trimEnd().split('\n');
  expect(answers).toHaveLength(kAsked.length);
  for (const [i, [, language]] of texts.entries()) expect(answers[i].split('\t')[0]).toBe(language);
  expect(answers[kAsked.indexOf('123 !?')]).toBe('und\t1.0000');

  const packed = join(folder, 'languages.bin');
  const pack = spawnSync(process.execPath, [join(root, 'web/tools/pack-detector.mjs'), model, packed], {
    encoding: 'utf8',
  });
  expect(pack).toMatchObject({ status: 0, stderr: '' });
  const bytes = new Uint8Array(readFileSync(packed));
  const weights = readWeights(bytes.buffer, 'languages.bin');
  expect(weights.languages).toEqual(languages);
  for (const [i, text] of kAsked.entries()) {
    const parts = answers[i].split('\t');
    for (const { language, probability } of readText(weights, text).languages) {
      const natively = Number(parts[parts.indexOf(language) + 1]);
      // The weights were rounded to int8.
      expect([text, language, Math.abs(probability - natively) < 0.03]).toEqual([text, language, true]);
    }
  }
  for (let length = 0; length < bytes.length; length += 97) {
    expect(() => readWeights(bytes.slice(0, length).buffer, 'languages.bin')).toThrow(
      'not the weights of a language detector',
    );
  }
});

test('input that cannot be used for training or detection is an error', () => {
  const config = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
  const failsWith = (changes, message) => {
    writeFileSync(join(folder, 'bad.json'), JSON.stringify({ ...config, out: 'bad', ...changes }));
    const { status, stderr } = run(['train', join(folder, 'bad.json')]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  };
  failsWith({ labels: ['de', 'en'] }, 'el');
  failsWith({ preset: 'mini' }, 'preset');
  failsWith({ labels: undefined }, 'labels');
  failsWith({ vocabulary: 'nowhere' }, 'ngrams.txt');
  failsWith({ from: 'language/model' }, 'trained from the start');
  expect(run(['detect', '--model', folder])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('config.json'),
  });
});
