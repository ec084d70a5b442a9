// The page Translate in Firefox, compared with the library in Node.

import { Translator } from '../../web/lib/index.js';
import { openFirefox } from './firefox.js';

const kText = 'The old man opened the little window.';
// web/docs/determinism.md: each build is within twice PyTorch float32's error, plus 1e-6, of the exact weights. The
// goldens' largest such error is 1.8e-6, and two builds may err in opposite directions.
const kBound = 2 * (2 * 1.8e-6 + 1e-6);

let firefox;
let reference;

beforeAll(async () => {
  firefox = await openFirefox();
  reference = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
});

afterAll(async () => {
  reference?.destroy();
  await firefox?.close();
});

/** Waits until the visible translation and attention belong to the text. */
const settled = (page) =>
  page.waitForFunction(() => {
    const isBusy = document.querySelector('#target').getAttribute('aria-busy') === 'true';
    return !isBusy && document.querySelector('qkv-matrix').slice && document.querySelector('qkv-heads button');
  });

test.each([
  ['the build it picks', ''],
  ['the baseline build', '?engine=baseline'],
])('Firefox translates, and shows the weights that Node has: %s', async (_, query) => {
  const page = await firefox.open(query);
  await settled(page);
  await page.click('#source', { count: 3 });
  await page.keyboard.type(kText);
  await settled(page);
  expect(await page.$eval('#target', (output) => output.textContent)).toBe(await reference.translate(kText));

  await page.click('qkv-heads [data-layer="1"][data-head="6"]');
  expect(await page.$eval('#head-name', (name) => name.textContent)).toContain('layer 2, head 7');
  const shown = await page.$eval('qkv-matrix', ({ slice }) => ({
    layer: slice.layer,
    head: slice.head,
    weights: Array.from(slice.weights),
  }));
  const { cross } = await reference.trace(kText);
  const [, heads, targets, sources] = cross.shape;
  const size = targets * sources;
  const begin = (shown.layer * heads + shown.head) * size;
  const expected = cross.data.subarray(begin, begin + size);
  expect([shown.layer, shown.head]).toEqual([1, 6]);
  expect(shown.weights).toHaveLength(size);
  expect(Math.max(...shown.weights.map((weight, i) => Math.abs(weight - expected[i])))).toBeLessThan(kBound);
  expect(page.complaints).toEqual([]);
});
