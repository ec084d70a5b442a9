// The line view and the address, in Chromium: the lines show the same numbers as the matrix, and a link restores the
// page.

import { nextFrame, settled, translate } from './chromium.js';
import { kSentence, withPages } from './pages.js';

const pages = withPages();

const lines = (page) => page.check('#view [value=lines]', { force: true });

test('draws a curve for each weight of 0.05 or more, as opaque as the weight', async () => {
  const trace = await pages.translator.trace(kSentence);
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  await lines(page);
  await page.click('qkv-heads [data-layer="0"][data-head="1"]');
  await nextFrame(page);
  const [, , rows, columns] = trace.cross.shape;
  const weights = Array.from(trace.cross.data.subarray(rows * columns, 2 * rows * columns));
  const drawn = await page.$$eval('qkv-lines path', (all) => all.map((path) => path.getAttribute('stroke-opacity')));
  const expected = weights.filter((weight) => weight >= 0.05).sort((a, b) => a - b);
  expect(drawn).toEqual(expected.map((weight) => weight.toFixed(3)));
  expect(await page.isHidden('qkv-matrix')).toBe(true);

  await page.hover('qkv-pieces[side=target] button >> nth=2');
  await nextFrame(page);
  const row = weights.slice(2 * columns, 3 * columns).filter((weight) => weight >= 0.05);
  expect(await page.locator('qkv-lines path:not(.faint)').count()).toBe(row.length);
  const numbers = await page.$$eval('qkv-lines .numbers text', (all) => all.map((text) => text.textContent));
  expect(numbers).toEqual(row.map((weight) => weight.toFixed(2)));

  await page.check('#kind [value=decoderSelf]', { force: true });
  await nextFrame(page);
  const self = Array.from(trace.decoderSelf.data.subarray(0, rows * rows));
  const allowed = self.filter((weight, i) => weight >= 0.05 && i % rows <= Math.floor(i / rows));
  expect(await page.locator('qkv-lines path').count()).toBe(allowed.length);
  expect(page.complaints).toEqual([]);
});

test('pointing at a word or a curve lights it everywhere; keys move, pin and let go', async () => {
  const page = await pages.browser.open();
  await settled(page);
  await lines(page);
  await nextFrame(page);
  const word = await page.locator('qkv-lines .keys text').nth(1).boundingBox();
  await page.mouse.move(word.x + word.width / 2, word.y + word.height / 2);
  await nextFrame(page);
  expect(await page.textContent('qkv-pieces[side=source] .pointed .text')).toBe('brother');
  expect(await page.textContent('#spoken')).toMatch(/^“brother” is seen by/);

  const end = await page.$eval('qkv-lines path:last-child', (path) => {
    const { x, y } = path.getPointAtLength(path.getTotalLength() / 3);
    const box = path.ownerSVGElement.getBoundingClientRect();
    return [box.x + x, box.y + y];
  });
  await page.mouse.move(...end);
  await nextFrame(page);
  expect(await page.locator('qkv-lines path:not(.faint)').count()).toBe(1);
  expect(await page.textContent('#spoken')).toMatch(/^“\S+” attends to “\S+” \d\.\d\d$/);

  await page.mouse.move(2, 2);
  await page.focus('qkv-lines');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  expect(await page.textContent('#spoken')).toMatch(/^“frère” attends to “brother”/);
  await page.keyboard.press('ArrowUp');
  expect(await page.textContent('#spoken')).toMatch(/^“brother” is seen by “frère”/);
  await page.keyboard.press('Enter');
  expect(await page.textContent('#reading')).toContain('pinned');
  await page.keyboard.press('Escape');
  expect(await page.textContent('#spoken')).toBe('');
});

test('never scrolls sideways on a phone, whatever the sentence', async () => {
  const page = await pages.browser.open('', { viewport: { width: 360, height: 800 } });
  await settled(page);
  await lines(page);
  await translate(page, `${'Internationalisation and then we went home '.repeat(8)}.`);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  expect(await page.$eval('qkv-lines .scroll', (scroll) => scroll.scrollWidth)).toBeGreaterThan(360);
});

test('a link restores the text, its sentence, the kind, the head, the view and the scale', async () => {
  const page = await pages.browser.open();
  await settled(page);
  expect(new URL(page.url()).hash).toBe('');
  await translate(page, `I like tea & “milk”.\n${kSentence}`);
  await page.click('#target [data-sentence="1"]');
  await page.check('#kind [value=encoderSelf]', { force: true });
  await page.click('qkv-heads [data-layer="2"][data-head="4"]');
  await lines(page);
  await page.check('#row-scale');
  await page.waitForFunction(() => location.hash.includes('scale=row'));
  await settled(page);
  await page.click('#share');
  await page.waitForFunction(() => location.hash.includes('text='));

  const other = await pages.browser.open(new URL(page.url()).hash);
  await settled(other);
  for (const selector of ['#source', '#target', '#head-name', '.which', '#caption'])
    expect(await other.textContent(selector)).toBe(await page.textContent(selector));
  expect(await other.inputValue('#source')).toBe(`I like tea & “milk”.\n${kSentence}`);
  expect(await other.textContent('.which')).toBe('sentence 2 of 2');
  expect(await other.isVisible('qkv-lines')).toBe(true);
  expect(await other.isChecked('#row-scale')).toBe(true);
  const curves = (one) => one.$$eval('qkv-lines path', (all) => all.map((path) => path.outerHTML));
  expect(await curves(other)).toEqual(await curves(page));
});

test('an example is a step that Back undoes; the page does not load again', async () => {
  const page = await pages.browser.open();
  await settled(page);
  await page.evaluate(() => (globalThis.same = true));
  const first = await page.textContent('#target');
  await page.click('#examples button >> nth=1');
  await settled(page);
  expect(await page.inputValue('#source')).toBe('Could you help me, please?');
  await page.goBack();
  await page.waitForFunction((text) => document.querySelector('#target').textContent === text, first);
  expect(await page.evaluate(() => globalThis.same)).toBe(true);
});

test.each([
  '#%E0%A4%A&text%3D',
  '#kind=all&layer=-1&head=1e9&view=%00&scale=&sentence=0',
  '#layer=99&head=99',
  '#&&==#',
])('a malformed address counts for nothing: %s', async (hash) => {
  const [page, plain] = [await pages.browser.open(hash), await pages.browser.open()];
  for (const one of [page, plain]) await settled(one);
  expect(await page.textContent('#head-name')).toBe(await plain.textContent('#head-name'));
  expect(await page.isVisible('qkv-matrix')).toBe(true);
  expect(page.complaints).toEqual([]);
});
