// The files of the Save menu: pictures that need nothing else, and data with the trace's numbers.

import { readFileSync } from 'node:fs';
import { nextFrame, settled, translate } from './chromium.js';
import { kSentence, withPages } from './pages.js';

const pages = withPages();
let trace;
beforeAll(async () => (trace = await pages.translator.trace(kSentence)));

/** Presses one of the menu's buttons; returns the file that is downloaded. */
async function save(page, kind) {
  if (!(await page.$eval('#save', (menu) => menu.open))) await page.click('#save summary');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#save [value=${kind}]`)]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** An SVG document as a browser's XML parser reads it, in an empty page whose policy allows it. */
async function parsed(page, text) {
  const empty = await page.context().newPage();
  const found = await empty.evaluate((svg) => {
    const document = new DOMParser().parseFromString(svg, 'image/svg+xml');
    const all = (selector) => [...document.querySelectorAll(selector)];
    return {
      error: document.querySelector('parsererror')?.textContent ?? null,
      size: [document.documentElement.width.baseVal.value, document.documentElement.height.baseVal.value],
      ground: document.querySelector('rect').getAttribute('fill'),
      fills: all('g[stroke-width="0.75"] rect').map((rect) => rect.getAttribute('fill')),
      curves: all('path[stroke-opacity]').map((path) => path.getAttribute('stroke-opacity')),
      texts: all('text').map((one) => one.textContent),
    };
  }, text);
  await empty.close();
  return found;
}

test.each(['light', 'dark'])(
  'the matrix as SVG: its cells, labels and legend, in colours of its own, %s',
  async (colorScheme) => {
    const page = await pages.browser.open('?engine=baseline', { colorScheme });
    await translate(page, kSentence);
    const { name, bytes } = await save(page, 'svg');
    expect(name).toBe('qkv-attention.svg');
    const text = bytes.toString();
    expect(text).not.toMatch(/var\(|class=|light-dark|NaN|undefined/);
    const { error, ground, fills, texts } = await parsed(page, text);
    expect(error).toBeNull();
    expect(ground).toBe('#ffffff');
    expect(fills).toHaveLength(trace.target.pieces.length * trace.source.pieces.length);
    const head = await page.textContent('#head-name small'); // which one comes first depends on the model
    expect(head).toMatch(/^layer \d, head \d$/);
    expect(texts.slice(0, 2)).toEqual([
      `Cross attention, ${head}`,
      '→ source: what is read · ↓ target: what is written',
    ]);
    expect(texts).toEqual(expect.arrayContaining(['window', '</s>', '0', '1', 'weight']));

    await page.uncheck('#white');
    const themed = await parsed(page, (await save(page, 'svg')).bytes.toString());
    expect(themed.ground).toBe(colorScheme === 'dark' ? '#1b1e24' : '#ffffff');
    const shown = await page.$$eval('qkv-matrix .base rect', (rects) => rects.map((rect) => rect.getAttribute('fill')));
    const rgb = (hex) => `rgb(${[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)).join(', ')})`;
    expect(themed.fills.map(rgb)).toEqual(shown);
    expect(colorScheme === 'dark' ? fills : []).not.toEqual(themed.fills);
    expect(page.complaints).toEqual([]);
  },
);

test('the lines as SVG: the curves in view', async () => {
  const page = await pages.browser.open();
  await settled(page);
  await page.check('#view [value=lines]', { force: true });
  await nextFrame(page);
  const { error, curves } = await parsed(page, (await save(page, 'svg')).bytes.toString());
  expect(error).toBeNull();
  const drawn = await page.$$eval('qkv-lines path', (all) => all.map((path) => path.getAttribute('stroke-opacity')));
  expect(curves).toEqual(drawn);
});

test('an SVG of whatever was typed is well-formed', async () => {
  const page = await pages.browser.open();
  for (const text of ['<b>&amp;"\']]>', 'a\ud800b \u0001\ufffe', `${'and then we went home '.repeat(12)}.`]) {
    await translate(page, text);
    expect((await parsed(page, (await save(page, 'svg')).bytes.toString())).error).toBeNull();
  }
});

test('a PNG is the SVG at two pixels to one', async () => {
  const page = await pages.browser.open();
  await settled(page);
  const { size } = await parsed(page, (await save(page, 'svg')).bytes.toString());
  const { bytes } = await save(page, 'png');
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual(size.map((side) => Math.round(2 * side)));
  expect(bytes.length).toBeGreaterThan(5000);
  expect(page.complaints).toEqual([]);
});

test('the trace as JSON is what the library says', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  const saved = JSON.parse((await save(page, 'json')).bytes);
  const expected = JSON.parse(JSON.stringify(trace));
  expect(Object.keys(saved)).toEqual(Object.keys(expected));
  expect([saved.source, saved.target.pieces, saved.model]).toEqual([
    expected.source,
    expected.target.pieces,
    expected.model,
  ]);
  expect(saved.cross.data.every((weight, i) => Math.abs(weight - expected.cross.data[i]) < 1e-5)).toBe(true);
});

test('in bertviz’s layout: name, attn [layer][head][left][right], the pieces of both sides', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, kSentence);
  const saved = JSON.parse((await save(page, 'bertviz')).bytes);
  expect(saved.map(({ name }) => name)).toEqual(['Encoder', 'Decoder', 'Cross']);
  const [, , T, S] = trace.cross.shape;
  const { attn, left_text, right_text } = saved[2];
  expect([attn.length, attn[0].length, attn[0][0].length, attn[0][0][0].length]).toEqual(trace.cross.shape);
  expect([left_text, right_text]).toEqual([trace.target.pieces, trace.source.pieces]);
  expect(attn[1][3][2][4]).toBeCloseTo(trace.cross.data[((8 + 3) * T + 2) * S + 4], 5);
  for (const { attn: heads } of saved)
    for (const row of heads.flat(2)) expect(row.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 4);
});

test('the menu opens and closes by keyboard, and moves nothing', async () => {
  const page = await pages.browser.open();
  await settled(page);
  const where = () => page.$eval('qkv-matrix', (matrix) => JSON.stringify(matrix.getBoundingClientRect()));
  const before = await where();
  await page.focus('#save summary');
  await page.keyboard.press('Enter');
  expect(await page.isVisible('#save [value=png]')).toBe(true);
  expect(await where()).toBe(before);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  expect(await page.isVisible('#save [value=png]')).toBe(false);
  expect(await page.evaluate(() => document.activeElement.tagName)).toBe('SUMMARY');
});
