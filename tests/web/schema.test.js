// web/docs/trace.schema.json describes what the library and the native command write and the page reads.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Translator } from '../../web/lib/index.js';
import { readTrace } from '../../web/view/read-trace.js';

// ESLint depends on the validator.
const require = createRequire(createRequire(import.meta.url).resolve('eslint'));
const Ajv = require('ajv');
const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const schema = JSON.parse(readFileSync(at('web/docs/trace.schema.json'), 'utf8'));
const validate = new Ajv({ allErrors: true }).compile(schema);
const native = at('build/native/qkv');

/** The schema's errors for a trace. */
const faults = (trace) => (validate(trace) ? [] : validate.errors.map(({ dataPath, message }) => dataPath + message));

let trace;

beforeAll(async () => {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
  trace = JSON.parse(JSON.stringify(await translator.trace('I lost my keys 🙂.')));
  translator.destroy();
});

test('the library’s trace keeps to the schema', () => {
  expect(faults(trace)).toEqual([]);
});

(existsSync(native) ? test : test.skip)('the native command’s trace keeps to the schema, and the page reads it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  try {
    const file = join(folder, 'trace.json');
    const args = ['translate', '--model', at('web/models/en-fr'), '--trace', file];
    execFileSync(native, args, { input: 'I lost my keys 🙂.\n' });
    const text = readFileSync(file, 'utf8').trim();
    expect(faults(JSON.parse(text))).toEqual([]);
    const read = readTrace(text);
    expect([read.source.end, read.target.pieces]).toEqual([trace.source.end, trace.target.pieces]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ['a missing field', ({ cross: _, ...rest }) => rest],
  ['a field of another name', (it) => ({ ...it, attention: [] })],
  ['a weight over 1', (it) => ({ ...it, cross: { ...it.cross, data: [2] } })],
  ['a shape of three', (it) => ({ ...it, cross: { ...it.cross, shape: [1, 1, 1] } })],
  ['a probability over 1', (it) => ({ ...it, target: { ...it.target, logProbs: [0.5] } })],
])('the schema refuses %s', (_, spoil) => {
  expect(faults(spoil(trace))).not.toEqual([]);
});
