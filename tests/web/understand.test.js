// The page Understand: masked words and their guesses, the attention of each head, and the two classifiers.

import { axeFinds, forAxe } from './axe.js';
import { nextFrame } from './chromium.js';
import { barsOf, idle, share, withEnglish, expectSteady, recordShifts } from './english.js';
import { controls, stops } from './tabs.js';

const kFirst = 'She can [MASK] French very well.';
const kEngine = 'understand.html?engine=baseline';

const shared = withEnglish(['masked', 'questions', 'capitals']);

const settled = async (page) => {
  await idle(page, '#sentence');
  await page.waitForFunction(() => document.querySelector('qkv-matrix').slice);
  await nextFrame(page);
};
const open = async (path = kEngine, ...rest) => {
  const page = await shared.browser.open(path, ...rest);
  await settled(page);
  return page;
};
const words = (page) => page.$$eval('.words button', (all) => all.map((one) => one.textContent));

/** The guesses as the page writes them. */
async function guessesFor(text, mask = 0) {
  const masks = await shared.models.masked.fillMask(text, { count: 10 });
  return masks[mask].guesses.map(({ piece, probability }) => [piece.replace('▁', '') || piece, share(probability)]);
}

test('opens with a hidden word, its guesses and one matrix, all of them the engine’s', async () => {
  const page = await open();
  expect(await page.inputValue('#sentence')).toBe(kFirst);
  expect(await barsOf(page)).toEqual(await guessesFor(kFirst));
  const { encoderSelf } = await shared.models.masked.trace(kFirst);
  const [layers, heads, rows] = encoderSelf.shape;
  expect(await page.locator('qkv-heads button').count()).toBe(layers * heads);
  const shown = await page.$eval('qkv-matrix', ({ slice: { layer, head, weights } }) => [layer, head, [...weights]]);
  const at = (shown[0] * heads + shown[1]) * rows * rows;
  expect(shown[2]).toEqual([...encoderSelf.data.slice(at, at + rows * rows)]);
  expect(await page.isVisible('#kind')).toBe(false);
  expect(new URL(page.url()).hash).toBe('');
  const [[best, number]] = await barsOf(page);
  expect(await page.textContent('.aloud')).toMatch(`${best} ${number}, `);
  expect(page.complaints).toEqual([]);
});

test('a press on a word hides it, another shows it again; a guess is put in its place', async () => {
  const page = await open();
  expect(await words(page)).toEqual(['She', 'can', 'speak', 'French', 'very', 'well']);
  await page.click('.words button >> nth=1');
  await settled(page);
  const two = 'She [MASK] [MASK] French very well.';
  expect(await page.inputValue('#sentence')).toBe(two);
  expect(await words(page)).toContain('can');
  expect(await barsOf(page)).toEqual(await guessesFor(two, 0));
  expect(await page.$$eval('.which-mask label', (all) => all.map((one) => one.textContent))).toEqual(['can', 'speak']);
  await page.check('.which-mask [value="1"]', { force: true });
  expect(await barsOf(page)).toEqual(await guessesFor(two, 1));

  await page.click('.words button >> nth=1');
  await settled(page);
  expect(await page.inputValue('#sentence')).toBe(kFirst);
  const [[guess]] = await barsOf(page);
  await page.click('.answers .bars button >> nth=0');
  await settled(page);
  expect(await page.inputValue('#sentence')).toBe(kFirst.replace('[MASK]', guess));
  expect(await page.textContent('.answers .answer')).toContain('Nothing is hidden');
  await page.goBack();
  await settled(page);
  expect(await page.inputValue('#sentence')).toBe(kFirst);
  expect(page.complaints).toEqual([]);
});

test('all of it by keys alone', async () => {
  const page = await open();
  await page.focus('#sentence');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('I drink [MASK] every morning.');
  await settled(page);
  expect(await words(page)).toEqual(['I', 'drink', '?', 'every', 'morning']);
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await settled(page);
  expect(await page.inputValue('#sentence')).toBe('I [MASK] [MASK] every morning.');
  expect(await page.evaluate(() => document.activeElement.getAttribute('aria-label'))).toBe('drink, hidden');
  await page.keyboard.press('Space');
  await settled(page);
  expect(await page.inputValue('#sentence')).toBe('I drink [MASK] every morning.');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement.closest('qkv-pieces') !== null)).toBe(true);
  await page.keyboard.press('ArrowRight');
  expect(await page.textContent('#spoken')).toMatch(/^“I” attends to/);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.textContent('#reading')).toContain('pinned');
  expect(await page.evaluate(() => document.activeElement.closest('.answers .bars') !== null)).toBe(true);
  await page.keyboard.press('Escape');
  expect(await page.textContent('#reading')).not.toContain('pinned');
});

test('pointing at a word in the text lights it everywhere; a link restores what is in view', async () => {
  const page = await open();
  await page.hover('#sentence', { position: { x: 60, y: 16 } });
  expect(await page.textContent('qkv-pieces .pointed .text')).toBe('can');
  await page.click('qkv-heads [data-layer="2"][data-head="1"]');
  await page.check('#view [value=lines]', { force: true });
  await page.fill('#sentence', 'She [MASK] tea.');
  await settled(page);
  await page.waitForFunction(() => location.hash.includes('tea') && location.hash.includes('lines'));
  const again = await open(`understand.html${new URL(page.url()).hash}`);
  expect(await again.inputValue('#sentence')).toBe('She [MASK] tea.');
  expect(await again.textContent('#head-name small')).toBe('layer 3, head 2');
  expect(await again.isVisible('qkv-lines')).toBe(true);
});

test('whatever is typed is read, or leaves the page as it was', async () => {
  const page = await open();
  for (const text of ['🍕 \ud800 [MASK]', 'the cat '.repeat(600), '[MASK]'.repeat(40), '\u202e[MASK]\0', '   ', 'x']) {
    await page.fill('#sentence', text);
    await idle(page, '#sentence');
    expect(await page.getAttribute('#status', 'class')).not.toContain('failed');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280);
  }
  await page.fill('#sentence', '');
  await page.waitForFunction(() => !document.querySelector('qkv-matrix').slice);
  await page.fill('#sentence', kFirst);
  await settled(page);
  expect(await barsOf(page)).toEqual(await guessesFor(kFirst));
  expect(page.complaints).toEqual([]);
});

test('the two encoders beside it load when they come into view, and say what the library says', async () => {
  const asked = new Set();
  const page = await open(kEngine, {}, (early) =>
    early.route('**/models/english/*/model.safetensors', (route) => {
      asked.add(new URL(route.request().url()).pathname.split('/').at(-2));
      return route.continue();
    }),
  );
  expect([...asked]).toEqual(['masked']);
  await page.fill('#sentence', 'Where does Tom [MASK] in Boston?');
  await settled(page);
  await page.locator('#classifiers').scrollIntoViewIfNeeded();
  const done = () =>
    page.waitForFunction(() =>
      [...document.querySelectorAll('.classifier')].every((card) => card.ariaBusy === 'false'),
    );
  await done();
  expect([...asked].toSorted()).toEqual(['capitals', 'masked', 'questions']);
  expect(await page.textContent('#questions .read')).toBe('“Where does Tom [MASK] in Boston”');
  const classes = await shared.models.questions.classify('Where does Tom [MASK] in Boston');
  const labelled = classes.toSorted((a, b) => a.label.localeCompare(b.label));
  expect(await barsOf(page, '#questions')).toEqual(labelled.map(({ label, score }) => [label, share(score)]));

  const lower = 'where does tom in boston'; // masks are left out
  const tags = await shared.models.capitals.tag(lower);
  const kept = lower.split(' ').map((word) => {
    const begin = ` ${lower} `.indexOf(` ${word} `);
    const { label } = tags.find(({ end }) => end > begin);
    return label === 'capital' ? word[0].toUpperCase() + word.slice(1) : word;
  });
  expect(await page.$$eval('#capitals b', (all) => all.map((one) => one.textContent))).toEqual(kept);

  await page.fill('#sentence', '');
  await page.locator('#classifiers').scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelectorAll('.classifier .answer li').length === 0);
  expect(page.complaints).toEqual([]);
});

test('a model that does not load is reported, and comes when asked again', async () => {
  let isDown = true;
  const page = await shared.browser.open(kEngine, {}, (early) =>
    early.route('**/models/english/*/model.safetensors', (route) =>
      isDown ? route.fulfill({ status: 404 }) : route.continue(),
    ),
  );
  await page.waitForSelector('#retry:visible');
  expect(await page.textContent('#message')).toMatch(/did not load/);
  isDown = false;
  await page.click('#retry');
  await settled(page);
  isDown = true;
  await page.locator('#classifiers').scrollIntoViewIfNeeded();
  await page.waitForSelector('#questions .note button');
  isDown = false;
  await page.click('#questions .note button');
  await page.waitForSelector('#questions .bars li');
});

test('Tab stops at every control', async () => {
  const page = await open();
  const reached = await stops(page);
  expect((await controls(page)).filter((control) => !reached.has(control))).toEqual([]);
});

test.each(['light', 'dark'])(
  'axe finds nothing to mend, %s',
  async (colorScheme) => {
    const page = await open('understand.html', { colorScheme, ...forAxe });
    expect(await axeFinds(page)).toEqual([]);
    await page.click('.words button >> nth=1');
    await settled(page);
    await page.click('qkv-pieces button >> nth=2');
    await page.click('#save summary');
    expect(await axeFinds(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('#classifiers').scrollIntoViewIfNeeded();
    await page.waitForSelector('#questions .bars li');
    await page.waitForSelector('#capitals .tags li');
    await page.fill('#sentence', 'Nothing is hidden.');
    await settled(page);
    expect(await axeFinds(page)).toEqual([]);
  },
  120_000,
);

test.each([1280, 760, 375, 320])('never scrolls sideways, and nothing jumps: %i pixels', async (width) => {
  const page = await open(
    'understand.html',
    { viewport: { width, height: 900 }, reducedMotion: 'reduce' },
    recordShifts,
  );
  await expectSteady(page, width, settled, [
    () => page.click('.words button >> nth=1'),
    () => page.hover('qkv-pieces button >> nth=2'),
    () => page.click('.answers .bars button >> nth=0'),
    () => page.fill('#sentence', `${'Internationalisation and then we went home '.repeat(8)}.`),
    () => page.check('#view [value=lines]', { force: true }),
  ]);
});
