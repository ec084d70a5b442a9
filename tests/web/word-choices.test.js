// A click on a word of the translation shows its alternatives at the word. Each choice can be undone.

import { axeFinds, forAxe } from './axe.js';
import { nextFrame, settled, translate } from './chromium.js';
import { testInOtherBrowsers } from './other-browsers.js';
import { kSentence, withPages } from './pages.js';

const shared = withPages();
const isOpen = () => document.querySelector('#word-choices').matches(':popover-open');
const rows = (page) =>
  page.$$eval('#word-choices li', (items) =>
    items.map((item) => ({
      name: item.querySelector('b').textContent,
      number: item.querySelector('.number').textContent,
      written: item.classList.contains('written'),
    })),
  );

/** The middle of a word of the running translation, as window coordinates. Runs in the page. */
const middleOf = (word) => {
  const spans = [...document.querySelectorAll('#target [data-sentence]')];
  const node = spans.map(({ firstChild }) => firstChild).find(({ data }) => data.includes(word));
  const range = document.createRange();
  range.setStart(node, node.data.indexOf(word));
  range.setEnd(node, node.data.indexOf(word) + word.length);
  const { left, top, width, height } = range.getClientRects()[0];
  return { x: left + width / 2, y: top + height / 2, left, bottom: top + height };
};

async function clickWord(page, word) {
  const { x, y } = await page.evaluate(middleOf, word);
  await page.mouse.click(x, y);
}

/** The word of the sentence's translation at a piece, and what the library says of the place. */
async function placeOf(at, options = {}) {
  const { target, alternatives } = await shared.translator.trace(kSentence, options);
  const { count, ids, logProbs } = alternatives;
  const here = Array.from({ length: count }, (_, i) => ({
    id: ids[at * count + i],
    probability: Math.exp(logProbs[at * count + i]),
  }));
  return { target, here, word: target.text.slice(target.begin[at], target.end[at]).trim() };
}

test('at the word: the alternatives, and how each goes on; a choice keeps what is before; undo takes back one', async () => {
  const { target, here, word } = await placeOf(1);
  const page = await shared.browser.open('?engine=baseline');
  await translate(page, kSentence);
  await clickWord(page, word);
  const where = await page.evaluate(middleOf, word);
  expect(await page.evaluate(isOpen)).toBe(true);
  const box = await page.$eval('#word-choices', (node) => node.getBoundingClientRect().toJSON());
  expect(Math.abs(box.left - where.left)).toBeLessThan(20);
  expect(box.top - where.bottom).toBeLessThan(20);

  const shown = await rows(page);
  const format = (p) => (p < 0.005 ? '<0.01' : p.toFixed(2));
  expect(shown.map(({ number }) => number)).toEqual(here.map(({ probability }) => format(probability)));
  expect(shown.filter(({ written }) => written)).toHaveLength(1);
  // The row is pinned in every view.
  expect(await page.textContent('qkv-pieces .pointed .text')).toBe(word);

  // Each row goes on as its translation does.
  const prefixes = here.map(({ id }) => [target.ids[0], id]);
  const wanted = await Promise.all(
    prefixes.map((prefix) => shared.translator.translate(kSentence, { prefix, split: false })),
  );
  await page.waitForFunction(() => document.querySelectorAll('#word-choices .rest').length >= 3);
  const begin = target.text.slice(0, target.begin[1]);
  for (const { name } of (await rows(page)).slice(0, 3)) expect(wanted).toContain(`${begin.trim()} ${name}`);

  const chosen = async (n) => {
    const name = `#word-choices li:not(.written) button >> nth=${n}`;
    await page.click(name);
    await settled(page);
    return page.textContent('#target');
  };
  const first = await chosen(0);
  expect(first).not.toBe(target.text);
  expect(first.startsWith(begin.trim())).toBe(true);
  expect(await page.evaluate(isOpen)).toBe(false);
  const [, , third] = first.split(' ');
  await clickWord(page, third);
  const second = await chosen(0);
  expect(second).not.toBe(first);
  expect(second.startsWith(first.split(' ').slice(0, 2).join(' '))).toBe(true);

  await page.click('#undo');
  await settled(page);
  expect(await page.textContent('#target')).toBe(first);
  expect(await page.isVisible('#undo')).toBe(true);
  await page.click('#undo');
  await settled(page);
  expect(await page.textContent('#target')).toBe(target.text);
  expect(await page.isVisible('#undo')).toBe(false);
  expect(page.complaints).toEqual([]);
}, 60_000);

test('another sentence’s word opens once its sentence is in view; a selected text opens nothing', async () => {
  const page = await shared.browser.open();
  const text = await translate(page, `${kSentence} Thank you, my friend.`);
  const words = text.trim().split(' ');
  const word = words.at(-1).replace('.', '');
  await clickWord(page, words[1]);
  await page.waitForFunction(isOpen);
  expect(await page.textContent('.which')).toMatch(/^sentence 1/);
  await page.keyboard.press('Escape');
  await clickWord(page, word);
  await page.waitForFunction(() => document.querySelector('.which').textContent.startsWith('sentence 2'));
  await page.waitForFunction(isOpen);
  expect(await page.textContent('#word-choices .subject b')).toBe(word);
  await page.keyboard.press('Escape');
  await nextFrame(page);
  expect(await page.evaluate(isOpen)).toBe(false);
  // A part is selected, as for copying.
  const [from, to] = [await page.evaluate(middleOf, words[1]), await page.evaluate(middleOf, words[2])];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  expect(await page.evaluate(() => getSelection().isCollapsed)).toBe(false);
  expect(await page.evaluate(isOpen)).toBe(false);
});

test('by keyboard: arrows walk over the words, Enter opens, Enter chooses', async () => {
  const page = await shared.browser.open('?engine=baseline');
  const usual = await translate(page, kSentence);
  await page.focus('#copy');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement.id)).toBe('target');
  await page.keyboard.press('ArrowRight');
  const [, second] = usual.split(' ');
  const piece = await page.textContent('qkv-pieces .pointed .text'); // the word's first, or all of it
  expect([piece !== '', second.startsWith(piece)]).toEqual([true, true]);
  await page.keyboard.press('Enter');
  expect(await page.evaluate(isOpen)).toBe(true);
  expect(await page.evaluate(() => document.activeElement.getAttribute('aria-pressed'))).toBe('true');
  while (!(await page.evaluate(() => document.activeElement.matches('li [aria-pressed=false]'))))
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await settled(page);
  expect(await page.textContent('#target')).not.toBe(usual);
});

test.each([
  ['beside the word', 1280],
  ['as a sheet', 390],
])('%s nothing is outside the window, and axe finds nothing', async (_, width) => {
  const page = await shared.browser.open('', { ...forAxe, viewport: { width, height: 844 } });
  const text = await translate(page, kSentence);
  for (const word of [text.split(' ')[0], text.split(' ').at(-1).replace('.', '')]) {
    await clickWord(page, word);
    await page.waitForFunction(isOpen);
    const box = await page.$eval('#word-choices', (node) => node.getBoundingClientRect().toJSON());
    expect(box.left).toBeGreaterThanOrEqual(0);
    expect(box.right).toBeLessThanOrEqual(width);
    expect(box.bottom).toBeLessThanOrEqual(844);
    if (width < 760) expect([box.left, box.right, box.bottom]).toEqual([0, width, 844]);
    expect((await axeFinds(page)).filter((found) => found.includes('word-choices'))).toEqual([]);
    await page.click('#word-choices .close');
    expect(await page.evaluate(isOpen)).toBe(false);
  }
});

describe('in other browsers', () =>
  testInOtherBrowsers('', async (page) => {
    const target = () => document.querySelector('#target').textContent;
    await page.waitFor(() => document.querySelector('#target').getAttribute('aria-busy') === 'false');
    const before = await page.evaluate(target);
    const [, , verb] = before.split(' '); // "Mon frère" and a verb; which one depends on the weights
    await page.clickAt(await page.evaluate(middleOf, verb));
    await page.waitFor(isOpen);
    await page.click('#word-choices li:not(.written) button');
    await page.waitFor((text) => document.querySelector('#target').textContent !== text, before);
    await page.click('#undo');
    await page.waitFor((text) => document.querySelector('#target').textContent === text, before);
  }));
