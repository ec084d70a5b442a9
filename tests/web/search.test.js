// The search card: its tree is the one that the library returns.

import { readFileSync } from 'node:fs';
import { treeLayoutOf } from '../../web/view/tree-layout.js';
import { nextFrame, searched, settled, translate } from './chromium.js';
import { kSentence, withPages } from './pages.js';

const pages = withPages();

const labels = (page, kind = '') =>
  page.$$eval(`qkv-tree text${kind}`, (texts) => texts.map((text) => text.textContent));
const layoutOf = (search) => treeLayoutOf(search, (text) => 8 * text.length);

describe('the layout', () => {
  test.each([1, 2, 4, 8, 16])('puts no two pieces in one place, and each after its parent, beam %i', async (beam) => {
    const { nodes, width, height } = layoutOf(await pages.translator.search(kSentence, { beam, tree: true }));
    expect(new Set(nodes.map(({ depth, row }) => `${depth},${row}`)).size).toBe(nodes.length);
    for (const { x, width: own, row, depth, parent } of nodes) {
      expect(x + own).toBeLessThanOrEqual(width);
      expect(24 * (row + 1)).toBeLessThanOrEqual(height);
      expect(depth).toBe(parent < 0 ? 0 : nodes[parent].depth + 1);
      if (parent >= 0) expect(x).toBeGreaterThan(nodes[parent].x + nodes[parent].width);
      if (parent >= 0) expect(row).toBeGreaterThanOrEqual(nodes[parent].row);
    }
    const ends = nodes.filter(({ ends }) => ends >= 0).map(({ ends }) => ends);
    expect(ends.sort((a, b) => a - b)).toEqual(Array.from({ length: beam }, (_, rank) => rank));
    expect(nodes.filter(({ through }) => through === 0).every(({ row }) => row === 0)).toBe(true);
  });

  test('says each piece’s own probability', async () => {
    const search = await pages.translator.search(kSentence, { tree: true });
    const { nodes } = layoutOf(search);
    const { logProbs } = (await pages.translator.trace(kSentence)).target;
    const path = [];
    for (let at = search.hypotheses[0].node; at >= 0; at = nodes[at].parent) path.unshift(nodes[at].probability);
    path.forEach((probability, i) => expect(probability).toBeCloseTo(Math.exp(logProbs[i]), 4));
  });

  test('of nothing, and of a record that is none, is empty or flat', () => {
    expect(layoutOf({ beam: 4, hypotheses: [] })).toMatchObject({ nodes: [], height: 0 });
    const tree = { pieces: ['a', 'b'], ids: [1, 2], parents: [7, 1], logProbs: [0, 0] };
    expect(layoutOf({ beam: 1, hypotheses: [], tree }).nodes.map(({ depth }) => depth)).toEqual([0, 0]);
  });
});

test('draws what the search kept: dark the final paths with their scores, light what was dropped', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  await searched(page);
  const search = await pages.translator.search(kSentence, { tree: true });
  const { nodes } = layoutOf(search);
  expect(await labels(page)).toEqual(nodes.map(({ text }) => text));
  expect(await page.locator('qkv-tree path').count()).toBe(nodes.length);
  expect(await labels(page, '.dropped')).toEqual(
    nodes.filter(({ through }) => through === Infinity).map(({ text }) => text),
  );
  const score = search.hypotheses[1].score.toFixed(2).replace('-', '−');
  expect(await labels(page)).toContain(`2 · ${score}`);
  const darkness = (kind) => page.$eval(`qkv-tree path.${kind}`, (path) => getComputedStyle(path).opacity);
  expect(Number(await darkness('dropped'))).toBeLessThan(Number(await darkness('best')));
  expect(page.complaints).toEqual([]);
});

test('pointing says a piece’s numbers and lights its path', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  await searched(page);
  const { hypotheses, tree } = await pages.translator.search(kSentence, { tree: true });
  const summary = await page.textContent('#search-message');
  await page.hover('qkv-tree text.best >> nth=2');
  await nextFrame(page);
  expect(await page.locator('qkv-tree text.lit').count()).toBe(3);
  const third = [...hypotheses[0].ids].slice(0, 3).length;
  expect(third).toBe(3);
  expect(await page.textContent('#search-message')).toMatch(
    /probability \d\.\d\d after the pieces before it; so far −\d/,
  );

  const leaf = page.locator('qkv-tree text', { hasText: /^2 · / });
  await leaf.hover();
  await nextFrame(page);
  expect(await page.locator('qkv-tree text.lit').count()).toBe(hypotheses[1].ids.length);
  const answer = await page.textContent('#search-message');
  expect(answer).toContain(`“${hypotheses[1].text}”`);
  expect(answer).toContain(hypotheses[1].logProb.toFixed(2).replace('-', '−'));
  await page.mouse.move(2, 2);
  expect(await page.textContent('#search-message')).toBe(summary);
  expect(summary).toContain(`${tree.pieces.length} pieces`);
});

test('a width of its own: so many final translations; the address keeps it', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await settled(page);
  const target = await page.textContent('#target');
  for (const beam of [1, 8]) {
    await page.check(`#beam [value="${beam}"]`, { force: true });
    await searched(page);
    expect((await labels(page)).filter((text) => /^\d · /.test(text))).toHaveLength(beam);
  }
  expect(await page.textContent('#target')).toBe(target);
  await page.waitForFunction(() => location.hash.includes('beam=8'));
  const copy = await pages.browser.open('?engine=baseline#beam=8');
  await settled(copy);
  await searched(copy);
  expect(await labels(copy)).toEqual(await labels(page));
});

test('by keyboard: arrows walk the tree, Enter on a final translation makes it the translation', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  await searched(page);
  const { hypotheses } = await pages.translator.search(kSentence);
  await page.focus('#beam [value="4"]');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement.tagName)).toBe('QKV-TREE');
  await page.keyboard.press('ArrowRight');
  expect(await page.locator('qkv-tree text.lit').count()).toBe(2);
  await page.keyboard.press('ArrowLeft');
  expect(await page.locator('qkv-tree text.lit').count()).toBe(1);
  await page.keyboard.press('ArrowDown');
  expect(await page.locator('qkv-tree text.lit').count()).toBe(1);
  await page.keyboard.press('End');
  expect(await page.textContent('#search-message')).toContain('Translation 1 of 4');
  // Where the other translations are in the tree depends on the model. So the keys move down to the end, then up.
  let rank = 1;
  for (const key of [...Array(12).fill('ArrowDown'), ...Array(24).fill('ArrowUp')]) {
    await page.keyboard.press(key);
    rank = Number(/Translation (\d)/.exec(await page.textContent('#search-message'))?.[1] ?? 0);
    if (rank > 1) break;
  }
  expect(rank).toBeGreaterThan(1);
  await page.keyboard.press('Enter');
  await settled(page);
  expect(await page.textContent('#target')).toBe(hypotheses[rank - 1].text);
  expect(await page.isVisible('#undo')).toBe(true);
  expect(await page.evaluate(() => document.activeElement.tagName)).toBe('QKV-TREE');
});

test('a click on a dropped piece goes on from there', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  await searched(page);
  const { tree } = await pages.translator.search(kSentence, { tree: true });
  const dropped = await page.$$eval('qkv-tree text', (texts) => texts.findIndex((one) => one.matches('.dropped')));
  const path = [];
  for (let at = dropped; at >= 0; at = tree.parents[at]) path.unshift(tree.ids[at]);
  await page.locator('qkv-tree text').nth(dropped).click();
  await settled(page);
  expect(await page.textContent('#target')).toBe(await pages.translator.translate(kSentence, { prefix: path }));
  expect(page.complaints).toEqual([]);
});

test('is saved as a picture, and as JSON with all its numbers', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  await searched(page);
  await page.click('#save-search summary');
  const save = async (kind) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#save-search [value=${kind}]`)]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const { name, bytes } = await save('svg');
  expect(name).toBe('qkv-search.svg');
  const svg = bytes.toString();
  expect(svg).not.toMatch(/var\(|class=|light-dark|NaN|undefined|Infinity/);
  const empty = await page.context().newPage();
  const found = await empty.evaluate((text) => {
    const document = new DOMParser().parseFromString(text, 'image/svg+xml');
    const texts = [...document.querySelectorAll('text')].map((one) => one.textContent);
    return { error: document.querySelector('parsererror'), texts, paths: document.querySelectorAll('path').length };
  }, svg);
  expect(found.error).toBeNull();
  const drawn = await labels(page);
  expect(found.texts.slice(2)).toEqual(drawn);
  expect(found.paths).toBe(drawn.length);
  expect((await save('png')).bytes.subarray(1, 4).toString()).toBe('PNG');
  const json = JSON.parse((await save('json')).bytes);
  expect(json).toMatchObject({ format: 'qkv-search/1', source: kSentence, beam: 4, cut: false });
  expect(json.tree.pieces).toHaveLength(drawn.length);
});

test('of an empty text, and of a saved trace, there is none', async () => {
  const page = await pages.browser.open();
  await settled(page);
  await searched(page);
  await page.fill('#source', '');
  await page.waitForFunction(() => !document.querySelector('qkv-tree').search);
  await page.fill('#source', kSentence);
  await settled(page);
  await searched(page);
  const buffer = Buffer.from(JSON.stringify(await pages.translator.trace(kSentence)));
  await page.setInputFiles('#file', { name: 'trace.json', mimeType: 'application/json', buffer });
  await page.waitForFunction(() => !document.querySelector('qkv-tree').search);
  expect(page.complaints).toEqual([]);
});
