// The engine under AddressSanitizer and UndefinedBehaviorSanitizer, in WebAssembly. A sanitizer's report ends the
// engine, so the call fails, and the report is kept here. `npm test` builds it; `npm test -- --no-build` skips it where
// it is missing.
import { jest } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { sure } from '../translations.js';
import { defects, modelWith, sentence, truncations } from './bad-models.js';
import { at, readJson, rejection, tinyFolder } from './support.js';

const isBuilt = existsSync(at('build/wasm/asan/qkv.wasm'));
const reports = [];
jest.unstable_mockModule('../../web/lib/engine/glue.js', async () => {
  const { default: createModule } = await import('../../build/wasm/asan/qkv.mjs');
  return { default: (options) => createModule({ ...options, printErr: (line) => reports.push(line) }) };
});
const { Translator } = await import('../../web/lib/index.js');

jest.setTimeout(180_000); // several times slower than the released engine

let translator;
let create;
beforeAll(async () => {
  if (!isBuilt) return;
  const wasm = new Uint8Array(readFileSync(at('build/wasm/asan/qkv.wasm'))).buffer;
  create = (options) => Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', wasm, ...options });
  translator = await create({ model: modelWith(), beam: 1 });
});
afterEach(() => expect(reports).toEqual([]));
afterAll(() => translator?.destroy());

const test = isBuilt ? globalThis.test : globalThis.test.skip;

test('the build reports faults', async () => {
  const bytes = readFileSync(at('build/wasm/asan/qkv.wasm'), 'latin1');
  expect(bytes).toContain('heap-buffer-overflow');
  expect(bytes).toContain('runtime error');
});

test('translates, searches and traces', async () => {
  expect(await translator.translate(sentence.source, { split: false })).toBe(sentence.target);
  for (const { source, beam } of readJson('tests/goldens/models/tiny-f32/translations.json').translations) {
    const other = await create({ model: tinyFolder, beam: 3 });
    expect(typeof (await other.translate(source))).toBe('string');
    expect((await other.trace(source)).cross.shape).toHaveLength(4);
    expect((await other.score(source, beam.text)).score).toBeLessThan(0);
    other.destroy();
  }
});

test('translates, searches and traces by the default model, of 8 bits', async () => {
  const int8 = await create({});
  for (const { source, beam } of sure.slice(0, 3)) {
    expect(await int8.translate(source, { split: false })).toBe(beam.text);
    expect([...(await int8.trace(source)).target.ids]).toEqual(beam.ids);
  }
  int8.destroy();
});

test('refuses damaged models', async () => {
  for (const { model, isWhole } of truncations(12)) {
    if (!isWhole) expect(await rejection(create({ model }))).toMatchObject({ code: 'INVALID_FILE' });
  }
  for (const { model, code, says } of defects()) {
    expect(await rejection(create({ model }))).toMatchObject({ code, message: expect.stringMatching(says) });
  }
  expect(await translator.translate(sentence.source, { split: false })).toBe(sentence.target);
});

test('translates and traces hostile lines', async () => {
  const { lines } = readJson('tests/goldens/hostile.json');
  const texts = lines.map(({ line }) =>
    line.map(([unit, times]) => Buffer.from(unit, 'latin1').toString().repeat(times)),
  );
  const chosen = texts.map((parts) => parts.join('')).filter((text, i) => i % 20 === 0 && text.length < 1000);
  expect(chosen.length).toBeGreaterThan(40);
  for (const text of chosen) {
    expect(typeof (await translator.translate(text, { split: false }))).toBe('string');
    const { source } = await translator.trace(text);
    expect(source.text).toBe(text);
  }
});
