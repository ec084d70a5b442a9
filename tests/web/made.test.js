// The link that explains a weight: a pinned cell leads to the page Attention with the queries, keys and values of its head.

import { settled, translate, translated } from './chromium.js';
import { kSentence, withPages } from './pages.js';

const shared = withPages();

/** Pins a cell of the matrix by keys. */
async function pin(page, query, key) {
  await page.focus('qkv-matrix');
  await page.evaluate((cell) => document.querySelector('qkv-matrix').selection.pin(cell), { query, key });
}

test.each([
  ['cross', 1, 2, 3, 2],
  ['encoderSelf', 3, 5, 4, 0],
  ['decoderSelf', 0, 1, 5, 2],
])(
  '%s attention: the page Attention computes the same weight',
  async (kind, layer, head, query, key) => {
    const hash = `#kind=${kind}&layer=${layer + 1}&head=${head + 1}`;
    const page = await shared.browser.open(`?engine=baseline${hash}`);
    await translate(page, kSentence);
    await pin(page, query, key);
    await page.waitForSelector('.made[href]');
    const weight = await page.$eval('qkv-matrix', ({ slice }, at) => slice.weights[at[0] * slice.keys.length + at[1]], [
      query,
      key,
    ]);
    await page.click('.made');
    await page.waitForSelector('#sum .made');
    expect(await page.textContent('#sum b')).toBe(weight.toFixed(2));
    const { source, target } = await shared.translator.trace(kSentence);
    const side = kind === 'encoderSelf' ? source : target;
    const names = await page.$$eval('[data-id=weights] tbody th', (all) => all.map((one) => one.textContent.trim()));
    expect(names).toHaveLength(side.pieces.length);
    expect(page.complaints).toEqual([]);
  },
  60_000,
);

test('of a long sentence, the row alone; of the alignment and of a saved trace, nothing', async () => {
  const page = await shared.browser.open('');
  await translate(
    page,
    `${kSentence.slice(0, -1)} and looked at the sea for a long time, because he had nothing else to do that day.`,
  );
  await pin(page, 9, 3);
  await page.waitForSelector('.made[href]');
  expect(await page.getAttribute('.made', 'href')).toContain('at=weights*0*3');
  await page.check('#kind [value=alignment]', { force: true });
  await pin(page, 2, 2);
  await page.waitForFunction(() => !document.querySelector('.made'));
  expect(page.complaints).toEqual([]);
});

test('a model with another score leads to its lesson', async () => {
  const page = await shared.browser.open('#model=bahdanau');
  await translated(page, 'bahdanau');
  await settled(page);
  await pin(page, 1, 1);
  await page.waitForSelector('.made[href]');
  expect(await page.getAttribute('.made', 'href')).toBe('attention.html#preset=additive');
});
