// Models that people bring, in a page: a BERT-like and a GPT-2-like folder and a zip of one, against PyTorch's numbers.
import { readFileSync, readdirSync } from 'node:fs';
import { at, readJson } from '../lib/support.js';
import { zip } from '../lib/zip.js';
import { built, openBrowser } from './chromium.js';

const folder = (name) => at(`tests/goldens/one-sided/${name}`);
const goldens = (name) => readJson(`tests/goldens/one-sided/${name}/goldens.json`).goldens;
const filesOf = (name) =>
  Object.fromEntries(
    readdirSync(folder(name))
      .filter((file) => file !== 'goldens.json')
      .map((file) => [file, new Uint8Array(readFileSync(`${folder(name)}/${file}`))]),
  );
const base64 = (bytes) => Buffer.from(bytes).toString('base64');
const sent = (name) => Object.fromEntries(Object.entries(filesOf(name)).map(([file, bytes]) => [file, base64(bytes)]));

let browser;
let page;
beforeAll(async () => {
  browser = await openBrowser(built.package);
  page = await browser.open('page.html', {}, (opened) =>
    opened.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })),
  );
});
afterAll(() => browser.close());

/** Runs in the page: numbers of the loaded model. */
async function run([index, model, text, maxLength, worker]) {
  const { inspect, load } = await import(index);
  const bytes = (coded) => Uint8Array.from(atob(coded), (char) => char.charCodeAt(0));
  const given =
    typeof model === 'string'
      ? new Blob([bytes(model)])
      : { files: Object.fromEntries(Object.entries(model).map(([name, coded]) => [name, bytes(coded)])) };
  const inspected = await inspect(given, { worker });
  const loaded = await load(given, { worker });
  const plain = (map) => ({ shape: map.shape, data: [...map.data] });
  const result = { inspected, info: loaded.info };
  if (loaded.encode) {
    const encoded = await loaded.encode(text[0], { second: text[1] });
    Object.assign(result, { ids: [...encoded.ids], vectors: plain(encoded.vectors) });
    result.attention = plain((await loaded.trace(text[0], { second: text[1] })).encoderSelf);
  } else {
    const written = await loaded.generate(text[0], { maxLength });
    Object.assign(result, { ids: [...written.ids], text: written.text, streamed: '' });
    const reader = loaded.stream(text[0], { maxLength }).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) result.streamed += part.value;
    result.attention = plain((await loaded.trace(text[0])).decoderSelf);
  }
  loaded.destroy();
  return result;
}

const inPage = (model, text, { maxLength = 0, worker = true } = {}) =>
  page.evaluate(run, [`${browser.url}models.js`, model, text, maxLength, worker]);

const expectNear = (ours, { data, shape, float32_error: error }) => {
  expect(ours.shape).toEqual(shape);
  const worst = Math.max(...data.map((exact, i) => Math.abs(exact - ours.data[i])));
  expect(worst).toBeLessThanOrEqual(2 * error + 1e-6);
};

test.each([
  ['in a worker', true],
  ['in the page', false],
])("an encoder's vectors and weights are PyTorch's, %s", async (_, worker) => {
  const [{ text, ids, hidden, attention }] = goldens('bert-sequence');
  const result = await inPage(sent('bert-sequence'), text, { worker });
  expect(result.inspected).toMatchObject({ class: 'Encoder', parameters: result.info.parameters });
  expect(result.info).toMatchObject({ kind: 'encoder', worker, engine: 'relaxed' });
  expect(result.ids).toEqual(ids);
  expectNear(result.vectors, hidden);
  expectNear(result.attention, attention);
});

test("a generator's text and weights are PyTorch's, from safetensors, a pickle and a zip of it", async () => {
  for (const name of ['gpt2', 'gpt2-untied']) {
    const [{ text, ids, greedy, attention }] = goldens(name);
    for (const model of [sent(name), base64(zip(filesOf(name), { deflate: true }))]) {
      const result = await inPage(model, text, { maxLength: greedy.length - ids.length });
      expect([...ids, ...result.ids]).toEqual(greedy);
      expect(result.streamed).toBe(result.text);
      expectNear(result.attention, attention);
    }
  }
  expect(page.complaints).toEqual([]);
});

test('a damaged file of a zip is an error that names it, and the next zip loads', async () => {
  const files = filesOf('gpt2-untied');
  const [{ text }] = goldens('gpt2-untied');
  const crc = (name, sum) => (name === 'pytorch_model.bin' ? sum ^ 1 : sum);
  for (const deflate of [false, true]) {
    const damaged = inPage(base64(zip(files, { deflate, crc })), text);
    await expect(damaged).rejects.toThrow(/pytorch_model\.bin.*checksum/);
    const whole = base64(zip(files, { deflate }));
    expect((await inPage(whole, text, { maxLength: 2 })).inspected.class).toBe('Generator');
  }
});

/** Runs in the page: texts that are aborted after their first part. */
async function giveUp([index, model]) {
  const { load } = await import(index);
  const bytes = (coded) => Uint8Array.from(atob(coded), (char) => char.charCodeAt(0));
  const files = Object.fromEntries(Object.entries(model).map(([name, coded]) => [name, bytes(coded)]));
  const generator = await load({ files });
  const reasons = [];
  for (let round = 0; round < 10; ++round) {
    const ending = new AbortController();
    const aborted = generator.stream('The', { maxLength: 40, signal: ending.signal }).getReader();
    await aborted.read();
    ending.abort(new Error('enough'));
    reasons.push(await aborted.read().then(String, String));
    const cancelled = generator.stream('The', { maxLength: 40 }).getReader();
    await cancelled.read();
    await cancelled.cancel();
    await generator.generate('The', { maxLength: 2 });
  }
  generator.destroy();
  return [...new Set(reasons)];
}

test('what the worker still reports of a text that was given up is dropped', async () => {
  expect(await page.evaluate(giveUp, [`${browser.url}models.js`, sent('gpt2')])).toEqual(['Error: enough']);
  expect(page.complaints).toEqual([]);
});
