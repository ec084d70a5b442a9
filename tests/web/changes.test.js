// Interventions on the page Translate: a head off or uniform, hidden cells, set weights; the new translation beside the original,
// and the address.

import { attentionFlow, attentionRollout, headImportance, neededWords } from '../../web/lib/explain/index.js';
import { Translator } from '../../web/lib/index.js';
import { axeFinds, forAxe } from './axe.js';
import { nextFrame, settled } from './chromium.js';
import { kAll, isAllDrawn } from './changed.js';
import { withPages } from './pages.js';

const shared = withPages();
const kText = 'My brother lives in a big white house.';
const texts = (page) => page.$$eval('#changes .pane output', (all) => all.map((one) => one.textContent));
const shown = (page, text) =>
  page.waitForFunction((wanted) => document.querySelectorAll('#changes .pane output')[1].textContent === wanted, text);

/** The middle of a cell of the large matrix. */
async function cellAt(page, query, key) {
  const cells = page.locator('.card.attention qkv-matrix .cells');
  await cells.scrollIntoViewIfNeeded();
  const { x, y, width } = await cells.boundingBox();
  return [x + ((key + 0.5) * width) / 10, y + ((query + 0.5) * width) / 10];
}

test('a head is switched off, cells are hidden by a drag; what changed is marked; undo all, and the address', async () => {
  const library = await Translator.create({
    sourceLanguage: 'en',
    targetLanguage: 'fr',
    interventions: true,
    wasm: 'baseline',
  });
  const by = async (interventions) => (await library.trace(kText, { interventions })).target.text;
  const page = await shared.browser.open('?engine=baseline#layer=2&head=1');
  await settled(page);
  const usual = await page.textContent('#target');
  const place = { attention: 'cross', layer: 1, head: 0 };

  await page.check('#changes-mode [value=off]', { force: true });
  await shown(page, await by([{ kind: 'off', ...place }]));
  expect((await texts(page))[0]).toBe(usual);
  await page.check('#changes-mode [value=look]', { force: true });
  expect(await page.isVisible('#changes-panes')).toBe(false);

  await page.mouse.move(...(await cellAt(page, 1, 2)));
  await page.mouse.down();
  await page.mouse.move(...(await cellAt(page, 3, 3)), { steps: 4 });
  await page.mouse.up();
  expect(await page.textContent('#changes-list li > span')).toBe(
    'cross layer 2, head 1 does not see columns 3 to 4 in rows 2 to 4',
  );
  await shown(page, await by([{ kind: 'hide', ...place, queries: [1, 2, 3], keys: [2, 3] }]));

  const all = Array.from({ length: 8 }, (_, head) => `off.cross.2.${head + 1}`).join('*');
  const link = await shared.browser.open(`?engine=baseline#change=${all}`);
  await settled(link);
  const changed = await by(
    Array.from({ length: 8 }, (_, head) => ({ kind: 'off', attention: 'cross', layer: 1, head })),
  );
  await shown(link, changed);
  expect(changed).not.toBe(usual);
  expect(await link.locator('#changes mark').count()).toBeGreaterThan(0);
  expect(await link.textContent('#target')).toBe(usual);
  await link.click('#changes-undo');
  await link.waitForFunction(() => !location.hash.includes('change='));
  expect(await link.isVisible('#changes-panes')).toBe(false);
  library.destroy();
  expect([...page.complaints, ...link.complaints]).toEqual([]);
}, 90_000);

test('a weight is set by the wheel, by keys and by the slider; one change is taken back alone; the address has it', async () => {
  const page = await shared.browser.open('?engine=baseline#layer=2&head=1');
  await settled(page);
  const trace = await shared.translator.trace(kText);
  const [, heads, , columns] = trace.cross.shape;
  const before = trace.cross.data[((1 * heads + 0) * trace.target.pieces.length + 1) * columns + 2];
  await page.mouse.click(...(await cellAt(page, 1, 2)));
  const scrolled = await page.evaluate(() => scrollY);
  await page.mouse.wheel(0, -100);
  const list = () => page.$$eval('#changes-list li > span', (all) => all.map((one) => one.textContent));
  const is = (weight) => `cross layer 2, head 1 gives ${weight.toFixed(2)} to column 3 in row 2`;
  const first = Math.round(100 * (before + 0.05)) / 100;
  await page.waitForFunction(() => document.querySelector('#changes-list li'));
  expect(await list()).toEqual([is(first)]);
  expect(await page.evaluate(() => scrollY)).toBe(scrolled);

  await page.focus('.card.attention qkv-matrix');
  for (let i = 0; i < 3; ++i) await page.keyboard.press('+');
  await page.keyboard.press('-');
  expect(await list()).toEqual([is(first + 0.1)]);
  expect(await page.textContent('#changes-message')).toMatch(/^“frère” now gives 0\.\d\d to “lives”\.|The translation/);
  expect(await page.inputValue('#changes-weight input')).toBe(String(Math.round(100 * (first + 0.1))));
  await page.fill('#changes-weight input', '100');
  await page.keyboard.press('Escape');
  expect(await list()).toEqual([is(1)]);
  expect(await page.isDisabled('#changes-weight input')).toBe(true);

  const library = await Translator.create({
    ...{ sourceLanguage: 'en', targetLanguage: 'fr', interventions: true, wasm: 'baseline' },
  });
  const weights = Array.from({ length: columns }, (_, key) => (key === 2 ? 1 : 0));
  const set = { kind: 'set', attention: 'cross', layer: 1, head: 0, queries: [1], weights };
  const wanted = await library.trace(kText, { interventions: [set] });
  await shown(page, wanted.target.text);
  const drawn = await page.$$eval('#changes .pane qkv-matrix', (all) => [...all[1].slice.weights.slice(10, 20)]);
  expect(drawn).toEqual(weights);
  library.destroy();

  await page.check('#changes-mode [value=off]', { force: true });
  expect(await list()).toHaveLength(2);
  await page.click('#changes-list li:first-child button');
  expect(await list()).toEqual(['cross layer 2, head 1 is off']);
  expect(await page.evaluate(() => document.activeElement.getAttribute('aria-label'))).toBe(
    'Undo: cross layer 2, head 1 is off',
  );
  await page.keyboard.press('Enter');
  expect(await list()).toEqual([]);
  expect(await page.evaluate(() => document.activeElement.value)).toBe('look');

  const link = await shared.browser.open('?engine=baseline#change=set.cross.2.1.2.3_100');
  await shown(link, wanted.target.text);
  expect([...page.complaints, ...link.complaints]).toEqual([]);
}, 120_000);

test('a link has changes that no gesture makes: of all heads, of scores, of blocks', async () => {
  const library = await Translator.create({
    ...{ sourceLanguage: 'en', targetLanguage: 'fr', interventions: true, wasm: 'baseline' },
  });
  const interventions = [
    { kind: 'temperature', attention: 'cross', value: 3 },
    { kind: 'add', attention: 'cross', layer: 1, keys: [2], value: -1.5 },
    { kind: 'off', block: 'feedForward', side: 'decoder', layer: 0 },
  ];
  const wanted = (await library.trace(kText, { interventions })).target.text;
  library.destroy();
  const written = 'temperature.cross.....300*add.cross.2...3.-150*off.feedForward.decoder.1';
  const page = await shared.browser.open(`?engine=baseline#change=${written}`);
  await shown(page, wanted);
  expect(await page.$$eval('#changes-list li > span', (all) => all.map((one) => one.textContent))).toEqual([
    'cross, each head has its scores divided by 3.00',
    'cross layer 2, each head has -1.50 added to its scores of column 3',
    'decoder layer 1 has no feed-forward block',
  ]);
  await page.click('#changes-list li:last-child button');
  await page.waitForFunction(() => !location.hash.includes('feedForward'));
  expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('change')).toBe(
    written.split('*').slice(0, 2).join('*'),
  );
  expect(page.complaints).toEqual([]);
}, 90_000);

test('heads have bars of how much they matter, and attention stands beside what was needed: as the package says', async () => {
  const library = await Translator.create({
    ...{ sourceLanguage: 'en', targetLanguage: 'fr', interventions: true, wasm: 'baseline' },
  });
  const question = { source: kText, target: (await shared.translator.trace(kText)).target.text };
  const { cross, encoder, decoder } = await headImportance(library, question);
  const needed = await neededWords(library, question);
  const page = await shared.browser.open('?engine=baseline');
  await settled(page);
  const engines = () =>
    page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => /models.*wasm/.test(name)).length,
    );
  expect(await engines()).toBe(0); // nothing is loaded before somebody asks
  await page.check('#importance', { force: true });
  await page.waitForFunction(() => document.querySelector('qkv-heads').importance, null, { timeout: 60_000 });
  await nextFrame(page);
  const shares = await page.$$eval('qkv-heads .bar', (all) =>
    all.map((one) => Number(one.style.getPropertyValue('--share')) * (one.classList.contains('minus') ? -1 : 1)),
  );
  const peak = Math.max(...[cross, encoder, decoder].flatMap(({ data }) => Array.from(data, Math.abs)));
  expect(shares).toHaveLength(cross.data.length);
  shares.forEach((share, i) => expect(share).toBeCloseTo(cross.data[i] / peak, 3));
  const label = await page.getAttribute('qkv-heads [data-layer="0"][data-head="2"]', 'aria-label');
  expect(label).toBe(`layer 1, head 3; without it log p falls by ${cross.data[2].toFixed(2)}`);

  const slices = () =>
    page.$$eval('#explanation .pane qkv-matrix', (all) => all.map(({ slice }) => [...slice.weights]));
  await page.check('#explanation-view [value=both]', { force: true });
  await page.waitForFunction(() => document.querySelectorAll('#explanation .pane .base rect').length === 200);
  const [attention, need] = await slices();
  expect(attention).toEqual([...(await shared.translator.trace(kText)).alignment.data]);
  need.forEach((fall, i) => expect(fall).toBeCloseTo(needed.data[i], 3));
  await page.locator('#explanation .pane:nth-child(2) .cells').hover({ position: { x: 50, y: 50 } });
  expect(await page.textContent('#explanation-reading')).toMatch(
    /“frère” attends|“frère” aligns with “brother” .*log p of “frère” falls by/,
  );
  for (const [view, follow] of [
    ['rollout', attentionRollout],
    ['flow', attentionFlow],
  ]) {
    await page.check(`#explanation-view [value=${view}]`, { force: true });
    await page.waitForFunction((name) => document.querySelector('#explanation h3')?.textContent.includes(name), view);
    const { data } = await follow(library, kText);
    (await slices())[0].forEach((x, i) => expect(x).toBeCloseTo(data[i], 4));
  }
  library.destroy();
  await page.waitForFunction(() => location.hash.includes('heads=weighed&asked=flow'));
  expect(page.complaints).toEqual([]);
}, 120_000);

/** Addresses that show one explanation, and the heading of its matrix. */
const kViews = {
  needed: 'What it needed',
  rollout: 'Attention rollout',
  flow: 'Attention flow',
  attention: 'Attention',
};

test.each(['light', 'dark'])(
  'axe finds nothing to mend while something is changed and asked, %s',
  async (colorScheme) => {
    const page = await shared.browser.open(`#${kAll}`, { colorScheme, ...forAxe });
    await page.waitForFunction(isAllDrawn, null, { timeout: 60_000 });
    await nextFrame(page);
    expect(await axeFinds(page)).toEqual([]);
    for (const [view, name] of Object.entries(kViews)) {
      await page.check(`#explanation-view [value=${view}]`, { force: true });
      await page.waitForFunction((wanted) => {
        const panes = document.querySelectorAll('#explanation .pane');
        const isNew = panes.length === 1 && panes[0].querySelector('h3').textContent.split(',')[0] === wanted;
        return isNew && panes[0].querySelectorAll('.base rect').length > 50;
      }, name);
      await nextFrame(page); // a matrix fits its cells into its pane in the frame after it is resized
      expect(await axeFinds(page)).toEqual([]);
    }
  },
  120_000,
);

test.each([1280, 760, 390, 320])(
  'never scrolls sideways: %i pixels',
  async (width) => {
    const page = await shared.browser.open(`#${kAll}`, { viewport: { width, height: 900 } });
    await page.waitForFunction(isAllDrawn, null, { timeout: 60_000 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  },
  90_000,
);
