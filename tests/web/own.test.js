// Alternatives at a word, and a trace of the reader's own translation.

import { nextFrame, settled, translate } from './chromium.js';
import { kSentence, shown, targetPieces, withPages } from './pages.js';

const kOwn = 'Le vieillard a ouvert la petite porte.';

const pages = withPages();

test('a pinned target piece shows what might have been written there, with probabilities', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  const { alternatives } = await pages.translator.trace(kSentence);
  const { count } = alternatives;
  const height = () => page.$eval('#reading', (panel) => panel.offsetHeight);
  const before = await height();
  await page.hover('qkv-pieces[side=target] button >> nth=2');
  expect(await page.locator('#alternatives').count()).toBe(0);
  await page.click('qkv-pieces[side=target] button >> nth=2');
  const listed = await page.$$eval('#alternatives li', (items) =>
    items.map((item) => [item.querySelector('b').textContent, item.querySelector('.number').textContent]),
  );
  const format = (p) => (p < 0.005 ? '<0.01' : p.toFixed(2));
  const labels = shown(alternatives.pieces.slice(2 * count, 3 * count));
  expect(listed).toEqual(labels.map((label, i) => [label, format(Math.exp(alternatives.logProbs[2 * count + i]))]));
  expect(await page.locator('#alternatives .written').count()).toBe(1);
  expect(await height()).toBe(before);

  await page.keyboard.press('Escape');
  await page.click('qkv-pieces[side=source] button >> nth=2');
  expect(await page.locator('#alternatives').count()).toBe(0);
  expect(page.complaints).toEqual([]);
});

test('the reader’s own translation is traced as it is typed, and the model’s comes back', async () => {
  const page = await pages.browser.open('?engine=baseline');
  const models = await translate(page, kSentence);
  const where = () => page.$eval('qkv-pieces[side=target]', (row) => JSON.stringify(row.getBoundingClientRect()));
  const before = await where();
  await page.focus('#own-switch');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement.id)).toBe('own');
  expect(await page.inputValue('#own')).toBe(models);
  expect(await where()).toBe(before);

  await page.fill('#own', kOwn);
  await page.waitForFunction(() => document.querySelector('qkv-pieces[side=target]').textContent.includes('porte'));
  await settled(page);
  const trace = await pages.translator.trace({ source: kSentence, target: kOwn });
  expect(await targetPieces(page)).toEqual(shown(trace.target.pieces));
  await page.hover('qkv-pieces[side=target] button >> nth=0');
  await nextFrame(page);
  const probability = Math.exp(trace.target.logProbs[0]);
  expect(await page.textContent('#reading')).toContain(`probability ${probability.toFixed(2)}`);

  // Its score stands beside the model's.
  const mean = ({ score, target }) => Math.exp(score / target.pieces.length).toFixed(2);
  const theirs = await pages.translator.trace(kSentence);
  const facts = await page.textContent('#target-facts');
  expect(facts).toBe(`a piece, on average: yours ${mean(trace)}, the model’s ${mean(theirs)}`);

  await page.click('#own-switch');
  await settled(page);
  await page.waitForFunction(() => !document.querySelector('qkv-pieces[side=target]').textContent.includes('porte'));
  expect(await page.textContent('#target')).toBe(models);
  expect(await page.isVisible('#own')).toBe(false);
  expect(await page.textContent('#target-facts')).toBe('bar: probability · dotted: below 0.5');
  expect(page.complaints).toEqual([]);
});

test('another sentence ends the reader’s own translation; nothing and nonsense are traced too', async () => {
  const page = await pages.browser.open();
  await translate(page, kSentence);
  await page.click('#own-switch');
  for (const text of ['', '🍕 \ud800', 'un '.repeat(100)]) {
    await page.fill('#own', text);
    await settled(page);
  }
  await page.fill('#own', '');
  await page.waitForFunction(() => document.querySelectorAll('qkv-pieces[side=target] button').length === 1);
  expect(await targetPieces(page)).toEqual(['</s>']);
  await page.click('#examples button >> nth=1');
  await settled(page);
  expect(await page.isVisible('#target')).toBe(true);
  expect(await page.getAttribute('#own-switch', 'aria-pressed')).toBe('false');
  expect(await page.textContent('#target')).not.toBe('');
  expect(page.complaints).toEqual([]);
});
