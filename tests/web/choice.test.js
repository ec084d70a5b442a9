// Choosing another piece at a word: the sentence is translated again from there, and the text before it stays.

import { nextFrame, settled, translate } from './chromium.js';
import { kSentence, shown, targetPieces, withPages } from './pages.js';

const pages = withPages();

const chip = (page, index) => page.locator('qkv-pieces[side=target] button').nth(index);
const pressed = '#alternatives [aria-pressed=true]';
const other = '#alternatives [aria-pressed=false] >> nth=0';

/** The library's translation with another piece at a place. */
async function expected(at, choose = (ids, written) => ids.find((id) => id !== written)) {
  const { alternatives, target } = await pages.translator.trace(kSentence);
  const { count, ids } = alternatives;
  const prefix = [
    ...target.ids.subarray(0, at),
    choose([...ids.subarray(at * count, (at + 1) * count)], target.ids[at]),
  ];
  return { prefix, trace: await pages.translator.trace(kSentence, { prefix }), usual: target };
}

test('translates again from the piece that was picked, keeping what stands before; the button undoes it', async () => {
  const { trace, usual } = await expected(2);
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  expect(await page.isVisible('#undo')).toBe(false);
  await chip(page, 2).click();
  await page.click(other);
  await settled(page);
  expect(await page.textContent('#target')).toBe(trace.target.text);
  expect(trace.target.text).not.toBe(usual.text);
  const pieces = await targetPieces(page);
  expect(pieces).toEqual(shown(trace.target.pieces));
  expect(pieces.slice(0, 2)).toEqual(shown(usual.pieces.slice(0, 2)));

  // The piece stays pinned, its alternatives stay visible, the focus is on the chosen one.
  expect(await page.textContent('qkv-pieces .pointed .text')).toBe(pieces[2]);
  expect(await page.textContent(`${pressed} b`)).toBe(pieces[2]);
  expect(await page.evaluate(() => document.activeElement.getAttribute('aria-pressed'))).toBe('true');

  await page.click('#undo');
  await settled(page);
  expect(await page.textContent('#target')).toBe(usual.text);
  expect(await page.isVisible('#undo')).toBe(false);
  expect(page.complaints).toEqual([]);
});

test('the piece that was there before may be picked again; Back undoes a step; a link restores the choice', async () => {
  const { trace, usual } = await expected(2);
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  await chip(page, 2).click();
  await page.click(other);
  await settled(page);
  expect(page.url()).not.toContain('prefix=');
  await page.click('#share');
  await page.waitForFunction(() => location.hash.includes('prefix='));
  const link = new URL(page.url()).hash;
  await page.click('#alternatives button', { strict: false }); // the likeliest was the one written before
  await settled(page);
  expect((await targetPieces(page)).slice(0, 3)).toEqual(shown(usual.pieces.slice(0, 3)));
  await page.goBack();
  await page.waitForFunction((text) => document.querySelector('#target').textContent === text, trace.target.text);
  await page.goBack();
  await page.waitForFunction((text) => document.querySelector('#target').textContent === text, usual.text);

  const copy = await pages.browser.open(`?engine=baseline${link}`);
  await settled(copy);
  expect(await copy.textContent('#target')).toBe(trace.target.text);
  expect(await copy.isVisible('#undo')).toBe(true);
});

test('by keyboard: pin, Tab to an alternative, Enter; Escape leads back to the piece', async () => {
  const { trace } = await expected(1);
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  await chip(page, 0).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.matches('#alternatives button'))); ++i)
    await page.keyboard.press('Tab');
  while (!(await page.evaluate(() => document.activeElement.matches('[aria-pressed=false]'))))
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await settled(page);
  expect(await page.textContent('#target')).toBe(trace.target.text);
  await page.keyboard.press('Escape');
  await nextFrame(page);
  expect(await page.evaluate(() => document.activeElement.querySelector('.text').textContent)).toBe(
    shown(trace.target.pieces)[1],
  );
});

test('by touch: a tap pins, a tap picks', async () => {
  const { trace } = await expected(1);
  const page = await pages.browser.open('?engine=baseline', {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await translate(page, kSentence);
  await chip(page, 1).tap();
  await page.tap(other);
  await settled(page);
  expect(await page.textContent('#target')).toBe(trace.target.text);
  const { height } = await page.locator(other).boundingBox();
  expect(height).toBeGreaterThanOrEqual(24);
});

test('a sentence’s choice stays with it, and goes with another text', async () => {
  const page = await pages.browser.open();
  await translate(page, `${kSentence} Thank you.`);
  await page.click('#target [data-sentence="0"]');
  await page.waitForFunction(() => document.querySelector('.which').textContent.startsWith('sentence 1'));
  await settled(page);
  await chip(page, 1).click();
  await page.click(other);
  await settled(page);
  const chosen = await page.textContent('#target [data-sentence="0"]');
  await page.click('#target [data-sentence="1"]');
  await settled(page);
  expect(await page.isVisible('#undo')).toBe(false);
  expect(await page.textContent('#target [data-sentence="0"]')).toBe(chosen);
  await page.click('#examples button >> nth=1');
  await settled(page);
  expect(await page.inputValue('#source')).toContain('Could');
  await page.click('#share');
  await page.waitForFunction(() => location.hash.includes('Could'));
  expect(page.url()).not.toContain('prefix=');
});

test('a choice ends the reader’s own translation', async () => {
  const page = await pages.browser.open();
  await translate(page, kSentence);
  await page.click('#own-switch');
  await page.fill('#own', 'Le vieillard a ouvert la petite porte.');
  await page.waitForFunction(() => document.querySelector('qkv-pieces[side=target]').textContent.includes('porte'));
  await chip(page, 0).click();
  await page.click(other);
  await settled(page);
  expect(await page.isVisible('#own')).toBe(false);
  expect(await page.textContent('#target')).not.toContain('porte');
});

test('a saved trace shows what might have been, and nothing to pick', async () => {
  const page = await pages.browser.open();
  await settled(page);
  const buffer = Buffer.from(JSON.stringify(await pages.translator.trace(kSentence)));
  await page.setInputFiles('#file', { name: 'trace.json', mimeType: 'application/json', buffer });
  await page.waitForFunction(() => document.querySelector('#message').textContent.startsWith('A saved trace'));
  await chip(page, 1).click();
  expect(await page.locator('#alternatives li').count()).toBeGreaterThan(1);
  expect(await page.locator('#alternatives button').count()).toBe(0);
});

test.each([
  '#prefix=999999',
  '#prefix=0.5',
  '#prefix=7999',
  '#prefix=-1',
  '#prefix=1..2',
  `#prefix=${'1.'.repeat(5000)}1`,
])('an address that asks for what the model cannot write counts for nothing: %s', async (hash) => {
  const [page, plain] = [await pages.browser.open(hash), await pages.browser.open()];
  for (const one of [page, plain]) await settled(one);
  expect(await page.textContent('#target')).toBe(await plain.textContent('#target'));
  expect(page.complaints).toEqual([]);
});

test('the mark of a low probability is on just those pieces, and is explained', async () => {
  const page = await pages.browser.open('?engine=baseline');
  const odd = 'The zeppelin quarrelled with a marmalade.';
  await translate(page, odd);
  const { target } = await pages.translator.trace(odd);
  const marked = await page.$$eval('qkv-pieces[side=target] button', (chips) =>
    chips.map((one) => one.classList.contains('unsure')),
  );
  expect(marked).toEqual(Array.from(target.logProbs, (logProb) => Math.exp(logProb) < 0.5));
  expect(new Set(marked).size).toBe(2);
  const line = await page.$eval('.unsure .text', (text) => getComputedStyle(text).textDecorationStyle);
  expect(line).toBe('dotted');
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.isVisible('text=dotted: below 0.5')).toBe(true);
  }
});

test('a translation that was cut says so', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await settled(page);
  const { target } = await pages.translator.trace('Yes.');
  const hash = `#text=Yes.&prefix=${new Array(400).fill(target.ids[0]).join('.')}`;
  const long = await pages.browser.open(`?engine=baseline${hash}`);
  await settled(long);
  expect(await long.textContent('#message')).toContain('cut');
  expect(await long.getAttribute('#target .cut', 'data-note')).toMatch(/was cut/);
  expect(await page.locator('#target .cut').count()).toBe(0);
});
