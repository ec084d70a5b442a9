// The card "The model" on the page Translate: its drawing has the layers and heads of the model, and each part shows its numbers
// from the trace.

import { nextFrame, openBrowser, settled, translate, translated } from './chromium.js';
import { axeFinds, forAxe } from './axe.js';
import { Translator } from '../../web/lib/index.js';

const kText = 'The old man opened the little window.';
const kForAxe = ['light', 'dark'].flatMap((colorScheme) => [1280, 390].map((width) => [colorScheme, width]));

let browser;
let reference;
beforeAll(async () => {
  browser = await openBrowser();
  reference = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', wasm: 'baseline' });
});
afterAll(async () => {
  reference?.destroy();
  await browser?.close();
});

/** Scrolls to the card and waits until it is drawn. */
const drawn = async (page) => {
  await page.locator('#model-card').scrollIntoViewIfNeeded();
  await page.waitForSelector('#model-card-drawing [aria-pressed=true]');
  await nextFrame(page);
};
const partsIn = (page) => page.$$eval('#model-card-drawing button', (all) => all.map(({ dataset }) => dataset.part));
const open = async (page, part) => {
  await page.click(`#model-card-drawing [data-part="${part}"]`);
  await nextFrame(page);
};

test.each([1280, 788, 390])(
  'the card is as high before it is near as when it is drawn, at %i pixels',
  async (width) => {
    const page = await browser.open('?engine=baseline', { viewport: { width, height: 500 } });
    await settled(page);
    const height = () => page.$eval('#model-card', (card) => card.getBoundingClientRect().height);
    expect(await page.$('#model-card-drawing [aria-pressed=true]')).toBeNull();
    const before = await height();
    await drawn(page);
    expect(await height()).toBe(before);
  },
);

test('the drawing has each layer and head; a head opens its weights, and shows in the card above', async () => {
  const page = await browser.open('?engine=baseline');
  await translate(page, kText);
  await drawn(page);
  const { cross, encoderSelf, decoderSelf, target, source } = await reference.trace(kText);
  const parts = await partsIn(page);
  for (const [kind, { shape }] of Object.entries({ cross, encoderSelf, decoderSelf })) {
    expect(parts.filter((name) => name.startsWith(`${kind}.`))).toHaveLength(shape[0] * shape[1]);
    expect(parts).toContain(`${kind}.${shape[0]}.${shape[1]}`);
  }
  expect(parts.filter((name) => name.startsWith('feedForward.encoder'))).toHaveLength(encoderSelf.shape[0]);
  expect(await page.textContent('#model-card-facts')).toBe(
    '7.3 M parameters · vectors of 256 · 8,000 pieces in its vocabulary',
  );

  // First the output: each piece with its probability.
  const rows = await page.$$eval('#model-card-panel tbody tr', (all) =>
    all.map(({ children }) => [children[0].textContent, children[1].textContent]),
  );
  expect(rows.map(([, p]) => p)).toEqual(Array.from(target.logProbs, (x) => Math.exp(x).toFixed(2)));

  await open(page, 'cross.2.7');
  const [, heads, T, S] = cross.shape;
  const begin = (heads + 6) * T * S;
  expect(await page.$eval('#model-card-panel qkv-matrix', ({ slice }) => Array.from(slice.weights))).toEqual(
    Array.from(cross.data.subarray(begin, begin + T * S)),
  );
  await page.click('#model-card-panel button');
  expect(await page.textContent('#head-name')).toContain('layer 2, head 7');
  await page.waitForFunction(() => location.hash.includes('part=cross.2.7') && location.hash.includes('head=7'));

  await open(page, 'embedding.encoder');
  expect(await page.$$eval('#model-card-panel .rows li', (all) => all.map(({ textContent }) => textContent))).toEqual(
    Array.from(source.ids, (id, i) => `${source.pieces[i].replaceAll('▁', ' ').trim() || '␣'} row ${id}`),
  );
  expect(page.complaints).toEqual([]);
}, 60_000);

test('it is drawn before the page is printed, wherever the reader is', async () => {
  const page = await browser.open('', { viewport: { width: 1280, height: 500 } });
  await settled(page);
  expect(await page.locator('#model-card-drawing [aria-pressed=true]').count()).toBe(0);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  expect(await page.locator('#model-card-drawing [aria-pressed=true]').count()).toBe(1);
  await page.context().close();
});

test('a feed-forward block is switched off on demand: the numbers are the engine’s own', async () => {
  const page = await browser.open('?engine=baseline#part=feedForward.encoder.1');
  await translate(page, kText);
  await drawn(page);
  await page.click('#model-card-panel button');
  await page.waitForSelector('#model-card-panel .without .running', { timeout: 30_000 });
  const asked = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', interventions: true });
  const interventions = [{ kind: 'off', block: 'feedForward', side: 'encoder', layer: 0 }];
  const target = await page.textContent('#target');
  const [free, { score, target: forced }] = [
    await asked.trace(kText, { interventions }),
    await asked.trace({ source: kText, target }, { interventions }),
  ];
  asked.destroy();
  expect(await page.textContent('#model-card-panel .without .running')).toBe(free.target.text);
  const mean = Math.exp(score / forced.pieces.length);
  expect(await page.textContent('#model-card-panel .without .caption')).toContain(mean < 0.01 ? '<' : mean.toFixed(2));
  expect(page.complaints).toEqual([]);
}, 60_000);

test.each([
  ['plain', 0],
  ['bahdanau', 1],
  ['luong-general', 1],
])(
  'the recurrent model %s: its states, and what is handed on',
  async (id, heads) => {
    const page = await browser.open(`#model=${id}`);
    await translated(page, id);
    await drawn(page);
    const parts = await partsIn(page);
    expect(parts.filter((name) => name.startsWith('recurrent.decoder'))).toHaveLength(id === 'bahdanau' ? 1 : 2);
    expect(parts.filter((name) => name.startsWith('cross'))).toHaveLength(heads);
    expect(parts.some((name) => name.startsWith('feedForward'))).toBe(false);
    await open(page, 'memory.encoder');
    expect(await page.textContent('#model-card-panel')).toContain(heads ? 'one for each source piece' : 'One vector');
    await open(page, 'recurrent.encoder.1');
    expect(await page.textContent('#model-card-panel')).toContain('one after the other');
    expect(page.complaints).toEqual([]);
  },
  60_000,
);

test('by keyboard: one tab stop, arrows go from part to part, Enter opens; the address brings the part back', async () => {
  const page = await browser.open('#part=encoderSelf.3.2');
  await settled(page);
  await drawn(page);
  const stop = await page.$$eval('#model-card-drawing [tabindex="0"]', (all) => all.map(({ dataset }) => dataset.part));
  expect(stop).toEqual(['encoderSelf.3.2']);
  await page.focus('#model-card-drawing [tabindex="0"]');
  const focused = () => page.evaluate(() => document.activeElement.dataset.part);
  for (const [key, part] of [
    ['ArrowRight', 'encoderSelf.3.3'],
    ['ArrowDown', 'feedForward.encoder.3'],
    ['ArrowUp', 'encoderSelf.3.1'],
    ['End', 'output.decoder'],
    ['Home', 'embedding.encoder'],
  ]) {
    await page.keyboard.press(key);
    expect(await focused()).toBe(part);
  }
  await page.keyboard.press('Enter');
  expect(await page.textContent('#model-card-panel h3')).toContain('Embedding');
  expect(await focused()).toBe('embedding.encoder');
  await page.waitForFunction(() => location.hash.includes('part=embedding.encoder'));
});

test.each(kForAxe)(
  '%s, %i pixels wide: axe finds nothing, nothing stands out',
  async (colorScheme, width) => {
    const page = await browser.open('', { ...forAxe, colorScheme, viewport: { width, height: 900 } });
    await settled(page);
    await drawn(page);
    for (const part of ['output.decoder', 'cross.2.1', 'feedForward.decoder.1', 'embedding.decoder']) {
      await open(page, part);
      expect(await axeFinds(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
  },
  60_000,
);
