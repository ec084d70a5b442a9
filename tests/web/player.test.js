// The player: it shows the decoding one piece at a step, forwards and backwards, with the text, the row of attention, the
// alternatives and the tree.

import { axeFinds, forAxe } from './axe.js';
import { nextFrame, searched, settled, translate } from './chromium.js';
import { openFirefox } from './firefox.js';
import { kSentence, shown, withPages } from './pages.js';

const shared = withPages();
const kStill = { reducedMotion: 'reduce' };

/** What the page shows of a step. Runs in the page. */
const inView = () => {
  const unwritten = [...(CSS.highlights.get('qkv-unwritten') ?? [])].map(String).join('');
  return {
    step: document.querySelector('#player-count').textContent,
    text: document.querySelector('#target').textContent.slice(0, -unwritten.length || undefined),
    pieces: [...document.querySelectorAll('qkv-pieces[side=target] button')].filter((chip) =>
      chip.checkVisibility({ visibilityProperty: true }),
    ).length,
    rows: document.querySelector('qkv-matrix').slice.written,
    pinned: document.querySelector('qkv-pieces .pointed .text')?.textContent ?? null,
    others: [...document.querySelectorAll('#player-others li')].map((item) => item.textContent),
    tree: Math.max(
      0,
      ...[...document.querySelectorAll('qkv-tree .nodes text:not(.later)')].map(({ __data__ }) => __data__.depth + 1),
    ),
  };
};

test('each step shows what was written, where it looked, what else was likely, and the search so far', async () => {
  const { target, alternatives } = await shared.translator.trace(kSentence);
  const page = await shared.browser.open('?engine=baseline', kStill);
  await translate(page, kSentence);
  await searched(page);
  await page.click('#play');
  const length = target.pieces.length;
  for (let step = 1; step <= length; ++step) {
    await nextFrame(page);
    const seen = await page.evaluate(inView);
    expect(seen).toMatchObject({ step: `${step} of ${length}`, pieces: step, rows: step, tree: step });
    expect(seen.text).toBe(target.text.slice(0, target.end[step - 1]));
    expect(seen.pinned).toBe(shown(target.pieces)[step - 1]);
    const { count, pieces, logProbs } = alternatives;
    const number = (p) => (p < 0.005 ? '<0.01' : p.toFixed(2));
    const at = (step - 1) * count;
    expect(seen.others).toEqual(
      shown(pieces.slice(at, at + count)).map((piece, i) => `${piece} ${number(Math.exp(logProbs[at + i]))}`),
    );
    if (step < length) await page.click('#player-on');
  }
  expect(await page.isDisabled('#player-on')).toBe(true);
  await page.click('#player-close');
  await nextFrame(page);
  const after = await page.evaluate(inView);
  expect(after).toMatchObject({ text: target.text, pieces: length, rows: null });
  expect(page.complaints).toEqual([]);
}, 60_000);

test('it plays by itself, pauses, and goes back; where motion is unwelcome it waits', async () => {
  const page = await shared.browser.open('');
  await settled(page);
  await page.click('#play');
  await page.selectOption('#player-speed', '4');
  await page.waitForFunction(() => parseInt(document.querySelector('#player-count').textContent, 10) >= 3);
  await page.click('#player-toggle');
  const at = await page.textContent('#player-count');
  expect(await page.textContent('#player-toggle')).toBe('Play');
  await page.waitForTimeout(600);
  expect(await page.textContent('#player-count')).toBe(at);
  await page.click('#player-back');
  expect(parseInt(await page.textContent('#player-count'), 10)).toBe(parseInt(at, 10) - 1);

  const still = await shared.browser.open('', kStill);
  await settled(still);
  await still.click('#play');
  await still.waitForTimeout(1300);
  expect(await still.textContent('#player-count')).toMatch(/^1 of/);
});

test('by keyboard; the address has the step; a choice at a step goes on from there', async () => {
  const page = await shared.browser.open('', kStill);
  await settled(page);
  const text = await page.textContent('#target');
  await page.focus('#play');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement.id)).toBe('player-toggle');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  expect(await page.textContent('#player-count')).toMatch(/^2 of/);
  await page.waitForFunction(() => location.hash.includes('step=2'));

  const copy = await shared.browser.open(new URL(page.url()).hash, kStill);
  await settled(copy);
  expect(await copy.textContent('#player-count')).toMatch(/^2 of/);
  expect((await copy.evaluate(inView)).pieces).toBe(2);

  await page.click('#alternatives [aria-pressed=false] >> nth=0');
  await settled(page);
  expect(await page.textContent('#target')).not.toBe(text);
  expect(await page.textContent('#player-count')).toMatch(/^2 of/);
  await page.focus('#player-at');
  await page.keyboard.press('Escape');
  expect(await page.evaluate(() => document.activeElement.id)).toBe('play');
  expect(await page.isVisible('#player')).toBe(false);
  await page.click('#play');
  await page.fill('#source', 'Thank you.');
  await settled(page);
  expect(await page.isVisible('#player')).toBe(false);
  expect([...page.complaints, ...copy.complaints]).toEqual([]);
}, 60_000);

test.each([1280, 390])('axe finds nothing at the bar, and all of it fits, at %i pixels', async (width) => {
  const page = await shared.browser.open('#step=3', { ...forAxe, viewport: { width, height: 844 } });
  await settled(page);
  expect((await axeFinds(page)).filter((found) => /player/.test(found))).toEqual([]);
  for (const control of await page.$$('#player :is(button, input, select)')) {
    const { x, width: wide } = await control.boundingBox();
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + wide).toBeLessThanOrEqual(width);
  }
  const { y, height } = await (await page.$('#player')).boundingBox();
  expect(y + height).toBeLessThanOrEqual(845);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});

test('in Firefox', async () => {
  const firefox = await openFirefox();
  try {
    const page = await firefox.open('#step=2');
    await page.waitForFunction(() => document.querySelector('#target').getAttribute('aria-busy') === 'false');
    await page.waitForFunction(() => document.querySelector('#player-count').textContent.startsWith('2 of'));
    await page.click('#player-on');
    const seen = await page.evaluate(() => [
      document.querySelector('#player-count').textContent,
      document.querySelectorAll('qkv-pieces[side=target] button:not(.later)').length,
    ]);
    expect(seen).toEqual(['3 of 10', 3]);
    expect(page.complaints).toEqual([]);
  } finally {
    await firefox.close();
  }
}, 60_000);
