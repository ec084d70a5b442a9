// What the pictures of the lessons compute besides the stages, compared with the library's numbers in Node; and the drawing of
// the path.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compute } from '../../web/demo/attention/compute.js';
import { reinforce } from '../../web/demo/attention/measures.js';
import { chapters, path } from '../../web/demo/attention/path.js';
import { wordsInCommon } from '../../web/demo/attention/presets/bottleneck.js';
import { presets, stateOfPreset } from '../../web/demo/attention/presets.js';
import { equationsOf, scoreEquations } from '../../web/demo/attention/equations.js';
import { completed } from '../../web/demo/attention/state.js';
import { attention } from '../../web/lib/attention/index.js';
import { Translator } from '../../web/lib/index.js';
import { opened, scores, settled, shownIn, start, stop } from './attention-support.js';
import { built } from './chromium.js';

beforeAll(start);
afterAll(stop);

const numbers = (cells) => cells.map((cell) => Number(cell.replace('−', '-')));
const softmax = (logits) => {
  const odds = logits.map(Math.exp);
  const sum = odds.reduce((a, b) => a + b, 0);
  return odds.map((x) => x / sum);
};

test('the chapters are the whole path, in its order', () => {
  expect(chapters().flat()).toEqual(path);
  expect(chapters().map(({ length }) => length)).toEqual([4, 6, 7, 8]);
});

test('the drawing of the path: every stop in its chapter, its name on demand, and how many are done', async () => {
  const page = await opened();
  const drawing = page.locator('#lessons');
  expect(await drawing.locator('.chapter').count()).toBe(4);
  expect(await drawing.locator('.stops a').count()).toBe(path.length);
  // All names are shown until a lesson is opened.
  expect(await drawing.evaluate((nav) => nav.classList.contains('unfolded'))).toBe(true);
  await page.click('#lessons a[href="#preset=masks"]');
  await settled(page);
  expect(await drawing.evaluate((nav) => nav.classList.contains('unfolded'))).toBe(false);
  const name = drawing.locator('a[href="#preset=block"] .name');
  const opacity = () => name.evaluate((one) => getComputedStyle(one).opacity);
  expect(await opacity()).toBe('0');
  await page.hover('#lessons a[href="#preset=block"]');
  expect(await opacity()).toBe('1');
  expect(await page.textContent('#lessons .count')).toBe(`0 of ${path.length} done`);
  await page.check('#controls [name=causal]');
  await page.waitForFunction(() => document.querySelector('#lessons .count').textContent.startsWith('1 of'));
  await page.click('#lessons button');
  expect(await page.getAttribute('#lessons button', 'aria-expanded')).toBe('true');
  expect(await opacity()).toBe('1');
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test('scores compared: each row is the library’s, and the chosen one follows the numbers below', async () => {
  const page = await opened('#preset=compare');
  const rows = () =>
    page.$$eval('.compared tbody tr', (all) =>
      Object.fromEntries(
        all.map((row) => [
          row.dataset.score,
          [...row.querySelectorAll('td')].slice(0, -1).map(({ textContent }) => textContent),
        ]),
      ),
    );
  const { query, key } = stateOfPreset('compare');
  const first = await rows();
  expect(Object.keys(first)).toEqual([
    'dot',
    'scaled-dot',
    'cosine',
    'gaussian',
    'general',
    'additive',
    'concat',
    'location',
  ]);
  const { weights } = await attention({ query, key, score: 'dot', record: ['weights'] });
  expect(first.dot).toEqual(Array.from(weights.data, (x) => x.toFixed(2)));
  expect(first.concat).toEqual(first.additive); // W = [W_q W_k], v = w_v
  await page.selectOption('#controls select[name=score]', 'general');
  await settled(page);
  const chosen = await rows();
  expect(chosen.general).toEqual(first.dot); // W begins as the identity
  expect((await shownIn(page)).weights[0]).toEqual(chosen.general);
  expect(await page.getAttribute('.compared .chosen', 'data-score')).toBe('general');
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test('why the scale: two softmaxes of one query stand before the curves', async () => {
  const page = await opened('#preset=scale');
  const { query, key } = stateOfPreset('scale');
  for (const [at, score] of ['dot', 'scaled-dot'].entries()) {
    const { weights } = await attention({ query: query.slice(0, 1), key, score, record: ['weights'] });
    const list = page.locator('#scene ul.bars').nth(at);
    expect(await list.locator('.number').allTextContents()).toEqual(Array.from(weights.data, (x) => x.toFixed(2)));
  }
  const isBefore = await page.evaluate(() => {
    const [bars, plot] = ['ul.bars', 'svg.plot'].map((query) => document.querySelector(`#scene ${query}`));
    return Boolean(bars.compareDocumentPosition(plot) & Node.DOCUMENT_POSITION_FOLLOWING);
  });
  expect(isBefore).toBe(true);
  await page.context().close();
});

test('REINFORCE: exact from the softmax itself, near it from many draws, and less noisy with a baseline', async () => {
  const logits = [1.4, 0.5, 1.1, -0.5, 0];
  const rewards = [4, 3, 3.5, 2, 3];
  const a = softmax(logits);
  const mean = (at) => softmax(at).reduce((sum, w, j) => sum + w * rewards[j], 0);
  // The gradient by finite differences.
  const step = 1e-5;
  const wanted = logits.map((_, j) => {
    const moved = (by) => logits.map((x, i) => (i === j ? x + by : x));
    return (mean(moved(step)) - mean(moved(-step))) / (2 * step);
  });
  for (const baseline of [0, 7]) {
    const exact = reinforce(a, a, rewards, baseline);
    exact.forEach((x, j) => expect(x).toBeCloseTo(wanted[j], 6));
  }
  const page = await opened('#preset=hard');
  const errors = async () => (await page.textContent('.gradient .off')).match(/\d+\.\d+(?= \()/g).map(Number);
  const few = await errors();
  expect(few[1]).toBeLessThan(few[0] / 2);
  await page.locator('.scene input[type=range]').fill('11');
  await settled(page);
  const many = await errors();
  expect(many[0]).toBeLessThan(few[0]);
  expect(many[1]).toBeLessThan(0.05);
  const result = await compute(completed(stateOfPreset('hard'), scores));
  const weights = softmax(Array.from(result.logits.data));
  const row = await page.$$eval('.gradient tbody tr:first-child td', (cells) => cells.map((cell) => cell.textContent));
  const exact = reinforce(weights, weights, rewards, 0);
  numbers(row).forEach((x, j) => expect(x).toBeCloseTo(exact[j], 1));
  await page.context().close();
});

test('W_o: leaves the heads apart, or adds and subtracts what they found', async () => {
  const page = await opened('#preset=heads');
  const context = (await shownIn(page)).context.map(numbers);
  const out = () =>
    page.$$eval('.mixed figure:last-child tbody tr', (rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent.replace('−', '-')))),
    );
  expect(await out()).toEqual(context);
  await page.check('.mixed [value=mixed]', { force: true });
  await settled(page);
  (await out()).forEach((row, i) => {
    const [a, b, c, d] = context[i];
    [a + c, b + d, a - c, b - d].forEach((x, at) => expect(Math.abs(row[at] - x)).toBeLessThan(0.021));
  });
  await page.context().close();
});

test.each(['t5', 'shaw', 'alibi', 'rotary'])(
  'distances by %s: the score depends on the distance alone',
  async (way) => {
    const page = await opened('#preset=distances');
    if (way !== 't5') await page.check(`.scene [value=${way}]`, { force: true });
    await settled(page);
    const rows = (await shownIn(page)).scores.map(numbers);
    for (let i = 1; i < rows.length; ++i)
      for (let j = 1; j < rows.length; ++j) expect(Math.abs(rows[i][j] - rows[i - 1][j - 1])).toBeLessThan(0.021);
    expect(new Set(rows.flat()).size).toBeGreaterThan(2);
    // For ALiBi the slopes of eight heads are drawn, and the slope of the page can be changed.
    expect(await page.locator('#scene .plot path').count()).toBe(way === 'alibi' ? 9 : 1);
    expect(await page.locator('#parameters figure[data-id="p.slope"]').count()).toBe(Number(way === 'alibi'));
    expect(page.complaints).toEqual([]);
    await page.context().close();
  },
);

/** The rows of GPT-2's table of positions, read here by the format's own rules: F16 numbers after a header of JSON. */
function tableOfGpt() {
  const file = readFileSync(join(built.site, 'models/english/everyday/model.safetensors'));
  const size = Number(file.readBigUInt64LE(0));
  const { shape, dtype, data_offsets: offsets } = JSON.parse(file.subarray(8, 8 + size))['transformer.wpe.weight'];
  expect(dtype).toBe('F16');
  const half = (bits) => {
    const [exponent, fraction] = [(bits >> 10) & 31, (bits & 1023) / 1024];
    return (bits >> 15 ? -1 : 1) * (exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction);
  };
  const at = (i) => half(file.readUInt16LE(8 + size + offsets[0] + 2 * i));
  return Array.from({ length: shape[0] }, (_, row) =>
    Array.from({ length: shape[1] }, (_, c) => at(row * shape[1] + c)),
  );
}

test('a learned table of positions: the cosines of its rows, and a reason and a second try where it does not come', async () => {
  const page = await opened('#preset=positions');
  await page.route('**/everyday/model.safetensors', (route) => route.fulfill({ status: 503 }));
  await page.click('.learned button');
  await page.waitForFunction(() => document.querySelector('.learned .caption').textContent.includes('503'));
  await page.unroute('**/everyday/model.safetensors');
  await page.click('.learned button');
  await page.waitForSelector('.learned .plot circle');
  const table = tableOfGpt();
  const dot = (a, b) => a.reduce((sum, x, c) => sum + x * b[c], 0);
  const cosine = (i, j) => dot(table[i], table[j]) / Math.sqrt(dot(table[i], table[i]) * dot(table[j], table[j]));
  const said = (i, j) => (table[j] ? cosine(i, j).toFixed(2).replace('-', '−') : '–');
  for (const [i, dots] of [
    [20, 25],
    [0, 13],
    [100, 25],
    [255, 13],
  ]) {
    await page.fill('.learned input[type=range]', String(i));
    const sentence = `The cosine of the learned place ${i} with the place before it is ${said(i, i - 1)}, with the place after it ${said(i, i + 1)}.`;
    await page.waitForFunction(
      (wanted) => document.querySelector('.learned .verdict').textContent === wanted,
      sentence,
    );
    expect(await page.locator('.learned .plot circle').count()).toBe(dots);
  }
  expect(cosine(20, 21)).toBeGreaterThan(0.4); // what the lesson says
  expect(Math.abs(cosine(100, 101))).toBeLessThan(0.2);
  await page.context().close();
});

test('a gate lets two things pass, and its weights sum to more than 1', async () => {
  const page = await opened('#preset=saliency');
  await page.check('.scene [value=gate]', { force: true });
  await settled(page);
  const [row] = (await shownIn(page)).weights.map(numbers);
  expect(row.filter((weight) => weight > 0.7).length).toBe(2);
  expect(row.reduce((a, b) => a + b, 0)).toBeGreaterThan(1.5);
  await page.context().close();
});

test('a translator with one vector and one with attention translate on the page, as in Node', async () => {
  expect(wordsInCommon('Le chat dort, le chat.', 'Le chat et le chien')).toBe(3);
  const page = await opened('#preset=bottleneck');
  await page.click('.live button');
  await page.waitForSelector('.sentences', { timeout: 60_000 });
  const rows = await page.$$eval('.sentences tbody tr', (all) =>
    all.map((row) => [
      row.cells[1].textContent,
      ...[...row.querySelectorAll('[lang=fr]')].map((one) => one.textContent),
    ]),
  );
  expect(rows.length).toBe(4);
  for (const [at, id] of ['plain', 'luong-general'].entries()) {
    const model = join(built.models, 'compared', id);
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model });
    for (const row of rows) expect(row[1 + at]).toBe(await translator.translate(row[0]));
    translator.destroy();
  }
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test.each([
  ['bottleneck', 'length'],
  ['luong', 'tasks'],
  ['pointer', 'hull'],
  ['reach', 'encoding'],
])('%s has the measured plot of %s, with the command that makes it', async (id, part) => {
  expect(existsSync(join(built.site, `docs/claims/${part}.svg`))).toBe(true);
  const page = await opened(`#preset=${id}`);
  const summary = page.locator('.measured-too summary');
  if (await summary.count()) await summary.click();
  const image = page.locator('.measured img');
  await image.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector('.measured img').naturalWidth > 100);
  expect(await image.getAttribute('src')).toBe(`docs/claims/${part}.svg`);
  expect(await page.textContent('.measured code')).toContain('npm run claims');
  await page.context().close();
});

test('S is the scores and never a length', () => {
  const all = [
    ...presets.flatMap(({ equations }) => equations),
    ...Object.values(scoreEquations),
    ...presets.flatMap(({ id }) => equationsOf(completed(stateOfPreset(id), scores)).map(({ source }) => source)),
  ];
  for (const source of all)
    expect([source, source.replaceAll(/\\s\{S\}/g, '')]).toEqual([source, expect.not.stringMatching(/\bS\b/)]);
});

test.each([1280, 390])(
  'no label of a row, a column or a stage is cut or reads wrongly, at %i pixels',
  async (width) => {
    const page = await opened('', { viewport: { width, height: 900 } });
    for (const { id } of presets) {
      await page.evaluate((preset) => (location.hash = `preset=${preset}`), id);
      await settled(page);
      const cut = await page.$$eval('qkv-grid thead th, qkv-grid tbody th', (all) =>
        all
          .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
          .map((one) => one.textContent),
      );
      expect([id, cut]).toEqual([id, []]);
      // A number leaves room between itself and its neighbour's.
      const tight = await page.$$eval('qkv-grid tbody td', (all) => {
        const line = document.createRange();
        return all
          .filter((one) => one.checkVisibility() && one.getClientRects().length > 0)
          .filter((one) => {
            line.selectNodeContents(one);
            return line.getBoundingClientRect().width > one.getBoundingClientRect().width - 4;
          })
          .map((one) => one.textContent);
      });
      expect([id, tight]).toEqual([id, []]);
      const how = await page.$$eval('.matrix-figure .how', (all) =>
        all.map(({ textContent }) => textContent).join(' '),
      );
      expect([id, how]).toEqual([id, expect.not.stringMatching(/\d\.:|\?:/)]);
    }
    await page.context().close();
  },
  120_000,
);
