// A saved trace opens without the engine. A file that is no trace is refused with one sentence.

import { readFileSync } from 'node:fs';
import { TraceError, readTrace } from '../../web/view/read-trace.js';
import { nextFrame, settled } from './chromium.js';
import { withPages } from './pages.js';

const kSentence = 'The café was “closed” 🙂.';

const pages = withPages();
let trace;
beforeAll(async () => (trace = await pages.translator.trace(kSentence)));

const saved = () => JSON.parse(JSON.stringify(trace));
const file = (content, name = 'some.json') => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
});

test('a saved trace reads back as it was', () => {
  const read = readTrace(JSON.stringify(trace));
  expect(read.cross.data).toEqual(trace.cross.data);
  expect(JSON.parse(JSON.stringify(read.source))).toEqual(saved().source);
  expect(read.alignment.heads).toEqual(trace.alignment.heads);
});

test('spans in UTF-8 become spans in UTF-16', () => {
  const bytes = saved();
  bytes.spans = 'utf-8';
  for (const side of [bytes.source, bytes.target])
    for (const which of ['begin', 'end'])
      side[which] = side[which].map((offset) => Buffer.byteLength(side.text.slice(0, offset)));
  const read = readTrace(JSON.stringify(bytes));
  expect(read.source.end).toEqual(Array.from(trace.source.end));
  expect(read.target.begin).toEqual(Array.from(trace.target.begin));
});

const spoiled = {
  'no object': () => null,
  'another format': (it) => ({ ...it, format: 'qkv-trace/2' }),
  'other spans': (it) => ({ ...it, spans: 'lines' }),
  'no source': ({ source: _, ...rest }) => rest,
  'no pieces': (it) => ({ ...it, source: { ...it.source, pieces: [] } }),
  'pieces that are numbers': (it) => ({ ...it, target: { ...it.target, pieces: it.target.pieces.map(() => 1) } }),
  'a span past the text': (it) => ({ ...it, source: { ...it.source, end: it.source.end.map(() => 1e6) } }),
  'a span within a unit': (it) => ({ ...it, source: { ...it.source, end: it.source.end.map(() => 0.5) } }),
  'too few log-probabilities': (it) => ({ ...it, target: { ...it.target, logProbs: [0] } }),
  'a probability over 1': (it) => ({ ...it, target: { ...it.target, logProbs: it.target.logProbs.map(() => 1) } }),
  'another shape': (it) => ({ ...it, cross: { ...it.cross, shape: [2, 8, 1, 1] } }),
  'a shape that claims a lot': (it) => ({
    ...it,
    cross: { ...it.cross, shape: [1e9, 1e9, ...it.cross.shape.slice(2)] },
  }),
  'data that end early': (it) => ({ ...it, cross: { ...it.cross, data: it.cross.data.slice(1) } }),
  'a weight that is none': (it) => ({
    ...it,
    encoderSelf: { ...it.encoderSelf, data: it.encoderSelf.data.map(() => 'x') },
  }),
  'a weight over 1': (it) => ({ ...it, cross: { ...it.cross, data: it.cross.data.map(() => 2) } }),
  'no cross-attention': ({ cross: _, ...rest }) => rest,
  'an alignment of heads that are not there': (it) => ({ ...it, alignment: { ...it.alignment, heads: [[99, 0]] } }),
  'alternatives of the wrong count': (it) => ({ ...it, alternatives: { ...it.alternatives, count: 1e6 } }),
};

test.each(Object.entries(spoiled))('refuses %s, and says what is wrong', (_, spoil) => {
  const read = () => readTrace(JSON.stringify(spoil(saved())));
  expect(read).toThrow(TraceError);
  expect(read).toThrow(/^It.* is not .*\.$/);
});

test.each(['', '{', '[]', '7', '"qkv-trace/1"', '['.repeat(100_000)])(
  'refuses what is no object: number %#',
  (text) => {
    expect(() => readTrace(text)).toThrow(TraceError);
  },
);

test('opens without a model, refuses without forgetting, and gives way to typing', async () => {
  const missing = (page) => page.route('**/*.safetensors', (route) => route.fulfill({ status: 404 }));
  const page = await pages.browser.open('', {}, missing);
  await page.waitForSelector('#retry:visible');
  await page.setInputFiles('#file', file(trace));
  await page.waitForFunction(() => document.querySelector('#message').textContent.startsWith('A saved trace'));
  await nextFrame(page);
  expect(await page.inputValue('#source')).toBe(trace.source.text);
  expect(await page.textContent('#target')).toBe(trace.target.text);
  expect(await page.locator('qkv-matrix .rows text').count()).toBe(trace.target.pieces.length);

  await page.setInputFiles('#file', file({ format: 'qkv-trace/1' }, 'bad.json'));
  await page.waitForFunction(() => document.querySelector('#message').textContent.startsWith('bad.json cannot be'));
  expect(await page.textContent('#message')).toMatch(/cannot be opened: Its “spans” is not/);
  expect(await page.textContent('#target')).toBe(trace.target.text);
});

test('a dropped file opens; its trace is saved again as it is; an example gives way to the engine', async () => {
  const page = await pages.browser.open();
  await settled(page);
  const content = saved();
  content.target.text = `Ω${content.target.text.slice(1)}`; // a text that the model would not write
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'dropped.json'));
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
  }, JSON.stringify(content));
  await page.waitForFunction(() => document.querySelector('#message').textContent.includes('dropped.json'));
  expect(await page.textContent('#target')).toBe(content.target.text);
  await page.click('#save summary');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save [value=json]')]);
  expect(JSON.parse(readFileSync(await download.path(), 'utf8')).cross).toEqual(content.cross);

  await page.keyboard.press('Escape');
  await page.click('#examples button >> nth=2');
  await settled(page);
  await page.waitForFunction(() => !document.querySelector('#target').textContent.includes('Ω'));
  expect(await page.textContent('#message')).toContain('parameters');
  expect(page.complaints).toEqual([]);
});
