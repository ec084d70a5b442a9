// Recurrent models, trained here for some seconds: the command, WebAssembly in Node and WebAssembly in a page give the
// same results, and their traces have the parts of a recurrent model.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Translator } from '../../web/lib/index.js';
import { at } from '../lib/support.js';
import { zip } from '../lib/zip.js';
import { readTrace } from '../../web/view/read-trace.js';
import { built, nextFrame, openBrowser, settled } from './chromium.js';

const command = at('build/native/qkv');
const kRuns = {
  plain: ['rnn-plain', { encoder_layers: 1, decoder_layers: 1 }],
  bahdanau: ['rnn-bahdanau', {}],
  dot: ['rnn-luong', { encoder_layers: 1, decoder_layers: 1, score: 'dot', input_feeding: false }],
  local: ['rnn-luong', { window: 'local-p', half_width: 2, encoder_layers: 1, decoder_layers: 1 }],
};
const kTexts = ['a b c', 'm l k j i', 'c a', 'h h b', 'd e f g a b', ''];

let folder;
let browser;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  const letters = [...'abcdefghijklm'];
  const pairs = letters.flatMap((x) => letters.map((y, i) => [x, y, letters[(7 * i) % 13]]));
  writeFileSync(
    join(folder, 'pairs.tsv'),
    pairs.map((words) => `${words.join(' ')}\t${words.toReversed().join(' ')}\n`).join(''),
  );
  for (const [name, [preset, model]] of Object.entries(kRuns)) {
    const run = {
      out: name,
      vocabulary: at('tests/goldens/models/tiny-f32'),
      corpora: [{ path: 'pairs.tsv' }],
      preset,
      model: { d_model: 24, d_embedding: 24, ...model },
      batch: { tokens: 400, longest: 64 },
      schedule: { peak: 0.01, warmup: 20 },
      steps: 60,
    };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(run));
    execFileSync(command, ['train', join(folder, `${name}.json`)], { stdio: ['ignore', 'ignore', 'pipe'] });
    execFileSync(command, ['quantize', join(folder, name, 'model'), join(folder, `${name}-int8`)]);
  }
  browser = await openBrowser(built.package);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const foldersOf = (name) => [join(folder, name, 'model'), join(folder, `${name}-int8`)];
const filesOf = (path) => Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name))]));

/** By the command, one line for each text. */
function translated(path) {
  const input = kTexts.map((text) => `${text}\n`).join('');
  const lines = execFileSync(command, ['translate', '-m', path, '--trace', join(folder, 'trace')], {
    input,
    encoding: 'utf8',
  });
  const traces = readFileSync(join(folder, 'trace'), 'utf8').trim().split('\n');
  return { texts: lines.split('\n').slice(0, -1), traces: traces.map((line) => JSON.parse(line)) };
}

/** Runs in the page: translations, and one trace. */
async function translateIn([files, texts, index]) {
  const { Translator: PageTranslator } = await import(index);
  const bytes = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]),
  );
  const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
  const translator = await PageTranslator.create({ ...languages, model: { files: bytes } });
  const answers = [];
  for (const text of texts) answers.push(await translator.translate(text, { split: false }));
  const { cross, window } = await translator.trace(texts[0]);
  const { engine } = translator.info;
  translator.destroy();
  return { engine, answers, cross: [...cross.data], centres: window && [...window.centres] };
}

test('a folder at an address, Blobs and a zip run in the engine for brought models', async () => {
  const path = foldersOf('bahdanau')[0];
  const expected = translated(path).texts[0];
  const languages = { sourceLanguage: 'en', targetLanguage: 'fr', worker: false };
  const blobs = Object.fromEntries(Object.entries(filesOf(path)).map(([name, bytes]) => [name, new Blob([bytes])]));
  const sizes = new Set();
  for (const model of [pathToFileURL(`${path}/`).href, { files: blobs }, zip(filesOf(path))]) {
    const told = [];
    const translator = await Translator.create({
      ...languages,
      model,
      monitor: (monitor) => monitor.addEventListener('downloadprogress', ({ loaded }) => told.push(loaded)),
    });
    expect(await translator.translate(kTexts[0], { split: false })).toBe(expected);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect([told[0], told.at(-1)]).toEqual([0, 1]);
    sizes.add(translator.info.bytes);
    translator.destroy();
  }
  expect(sizes.size).toBe(1);
});

test('an engine given as the option wasm, which translates alone, refuses a recurrent model by its name', async () => {
  const wasm = readFileSync(at('build/wasm/baseline/qkv.wasm'));
  const model = pathToFileURL(`${foldersOf('plain')[0]}/`).href;
  const creating = Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', worker: false, wasm, model });
  await expect(creating).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: expect.stringMatching(/recurrent.*wasm/),
  });
});

const largestGap = (a, b) => Math.max(0, ...a.map((x, i) => Math.abs(x - b[i])));

test.each(Object.keys(kRuns))('%s: the command, Node and a page agree, in floats and as int8', async (name) => {
  for (const path of foldersOf(name)) {
    const expected = translated(path);
    const files = filesOf(path);
    const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
    const translator = await Translator.create({ ...languages, worker: false, model: { files } });
    for (const [i, text] of kTexts.entries()) {
      expect(await translator.translate(text, { split: false })).toBe(expected.texts[i]);
    }
    const trace = await translator.trace(kTexts[0]);
    translator.destroy();
    const native = expected.traces[0];
    expect(trace.cross.shape).toEqual(native.cross.shape);
    expect(largestGap([...trace.cross.data], native.cross.data)).toBeLessThan(1e-5);

    const page = await browser.open('page.html', {}, (opened) =>
      opened.route('**/page.html', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>A page</title>' }),
      ),
    );
    const encoded = Object.fromEntries(Object.entries(files).map(([file, bytes]) => [file, bytes.toString('base64')]));
    const found = await page.evaluate(translateIn, [encoded, kTexts, `${browser.url}index.js`]);
    expect(found.answers).toEqual(expected.texts);
    expect(largestGap(found.cross, native.cross.data)).toBeLessThan(1e-5);
    expect(page.complaints).toEqual([]);
    await page.context().close();

    const attends = name !== 'plain';
    const maps = attends ? 1 : 0; // without attention there is nothing to show
    expect(trace.cross.shape).toEqual([maps, maps, trace.target.pieces.length, trace.source.pieces.length]);
    expect(trace.window !== undefined).toBe(name === 'local');
    if (name !== 'local') continue;
    expect(trace.window.halfWidth).toBe(2);
    expect(trace.window.centres).toHaveLength(trace.target.pieces.length);
    expect(largestGap(found.centres, [...trace.window.centres])).toBeLessThan(1e-4);
    for (const centre of trace.window.centres) {
      expect(centre).toBeGreaterThanOrEqual(0);
      expect(centre).toBeLessThanOrEqual(trace.source.pieces.length);
    }
  }
});

test('the demo draws the window of a local model, and says of one without attention that it has none', async () => {
  const demo = await openBrowser();
  try {
    const page = await demo.open();
    await settled(page);
    const open = async (name, drawn = settled) => {
      const buffer = Buffer.from(JSON.stringify(translated(foldersOf(name)[0]).traces[0]));
      await page.setInputFiles('#file', { name: `${name}.json`, mimeType: 'application/json', buffer });
      await page.waitForFunction((file) => document.body.textContent.includes(file), `${name}.json`);
      await drawn(page);
      await nextFrame(page);
      return readTrace(buffer.toString());
    };
    const { source, target, window } = await open('local');
    const boxes = (which) =>
      page.$$eval(`qkv-matrix .${which}`, (all) => all.map((one) => [one.x, one.width].map((at) => at.baseVal.value)));
    const cell = await page.$eval('qkv-matrix .base rect', (one) => one.width.baseVal.value);
    const [spans, centres] = [await boxes('span'), await boxes('centre')];
    expect([spans.length, centres.length]).toEqual([target.pieces.length, target.pieces.length]);
    centres.forEach(([x, width], row) => {
      const middle = Math.min(window.centres[row] + 0.5, source.pieces.length); // the centre may be at the end
      expect(Math.abs(x + width / 2 - middle * cell)).toBeLessThan(0.1);
      expect(spans[row][0]).toBeLessThanOrEqual(x + width);
      expect(spans[row][1]).toBeLessThanOrEqual((2 * window.halfWidth + 1) * cell + 0.1);
    });
    expect(await page.textContent('#caption')).toContain('window');
    await open('plain', nextFrame);
    expect(await page.textContent('#caption')).toContain('no attention');
    expect(await page.isVisible('qkv-matrix .sheet')).toBe(false);
    await open('bahdanau');
    expect(await boxes('span')).toEqual([]);
    expect(await page.textContent('#caption')).not.toContain('window');
    expect(page.complaints).toEqual([]);
  } finally {
    await demo.close();
  }
});
