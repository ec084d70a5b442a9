// The page Attention in Chromium, as people use it: typing, dragging, keyboard only, a screen reader, files, and its
// speed.

import { readFileSync } from 'node:fs';
import { compute } from '../../web/demo/attention/compute.js';
import { presets, stateOfPreset } from '../../web/demo/attention/presets.js';
import { lessonTexts } from '../../web/demo/attention/texts.js';
import { completed } from '../../web/demo/attention/state.js';
import { axeFinds, forAxe } from './axe.js';
import { hashOf, holds, opened, printed, scores, settled, shownIn, start, stop } from './attention-support.js';
import { nextFrame } from './chromium.js';

const kRounds = 6;

beforeAll(start);
afterAll(stop);

test('a cell is typed, dragged and stepped; pointing at one shows its sum and lights what made it', async () => {
  const page = await opened();
  const first = '[data-id=query] tbody tr:nth-child(1) td:nth-child(2)';
  await page.focus(first);
  await page.keyboard.type('-2.5');
  await page.keyboard.press('Enter');
  expect(await page.textContent(first)).toBe('−2.50');
  await page.keyboard.press('Shift+ArrowUp');
  expect(await page.textContent(first)).toBe('−2.40');
  const box = await page.locator(first).boundingBox();
  await page.mouse.move(box.x + 10, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + 70, box.y + 10, { steps: 4 });
  await page.mouse.up();
  expect(await page.textContent(first)).toBe('−1.40');
  await holds(page);

  await page.hover('[data-id=weights] tbody tr:nth-child(2) td:nth-child(4)');
  const numbers = await shownIn(page);
  const sum = await page.textContent('#sum');
  const terms = numbers.logits[1].map((x) => `exp(${x})`);
  expect(sum).toContain(`${terms[2]} / (${terms.join(' + ')}) = ${numbers.weights[1][2]}`);
  const lit = (id) => page.locator(`[data-id=${id}] td:is(.lit, .lit-row, .lit-column)`).count();
  expect([await lit('scores'), await lit('query'), await lit('key'), await lit('context')]).toEqual([1, 3, 3, 2]);

  await page.click('[data-id=context] tbody tr:nth-child(3) td:nth-child(2)');
  await page.mouse.move(0, 0);
  expect(await page.textContent('#sum')).toMatch(/^Context C, q₃, 1c₃₁ = .* = /);
  await settled(page);
  expect(await hashOf(page)).toContain('at=context*2*0');
  await page.keyboard.press('Escape');
  expect(await page.textContent('#sum')).toMatch(/^Point at a cell/);
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test('the pasted program prints what the page shows', async () => {
  const page = await opened('#preset=local&causal=1&temperature=0.5');
  const [shown, found] = [await shownIn(page), await printed(page)];
  expect(found.output).toEqual(shown.context.flat());
  expect(found.weights).toEqual(shown.weights.flat().map((text) => (text === '0' ? '0.00' : text))); // masked
  expect(found.scores).toEqual(shown.scores.flat());
  expect(found.logits.map((text) => text.replace('-Infinity', '−∞'))).toEqual(shown.logits.flat());
  await page.context().close();
});

test('by keys alone: Tab comes to every control and every matrix, arrows move, Enter keeps, Escape lets go', async () => {
  const page = await opened('#preset=local');
  const reached = new Set();
  const names = () =>
    [...document.querySelectorAll('a[href], button, input, select, summary, td[tabindex="0"], pre')]
      .filter((one) => one.checkVisibility() && !one.disabled && !one.closest('details:not([open]) > :not(summary)'))
      .map((one) => (one.type === 'radio' ? one.name : (one.dataset.stop ??= String(Math.random()))));
  const wanted = new Set(await page.evaluate(names));
  await page.evaluate(() => document.body.focus());
  for (let presses = 0; presses < wanted.size + 20; ++presses) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.dataset.stop ?? document.activeElement.name));
  }
  expect(wanted.size).toBeGreaterThan(50);
  expect([...wanted].filter((name) => !reached.has(name))).toEqual([]);

  await page.focus('[data-id=scores] td[tabindex="0"]');
  for (const key of ['End', 'ArrowDown', 'ArrowLeft']) await page.keyboard.press(key);
  expect(await page.textContent('#spoken')).toMatch(/^Scale S, t = 1, warm: −?[\d.]+ = \(?−?[\d.]+\)? \/ √\(3\)$/);
  await page.keyboard.press('Enter');
  expect(await page.locator('qkv-grid.pinned[data-id=scores] td.lit').count()).toBe(1);
  await page.keyboard.press('Escape');
  expect(await page.locator('qkv-grid.pinned').count()).toBe(0);
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test('each matrix has a name and a sentence for screen readers', async () => {
  const page = await opened('#preset=masks&causal=1');
  const rows = await page.$$eval('.workbench qkv-grid table', (tables) =>
    tables.map((table) => [table.getAttribute('aria-label'), table.querySelector('caption').textContent]),
  );
  expect(rows.length).toBe(7);
  for (const [name, sentence] of rows)
    expect([name, sentence]).toEqual([
      expect.stringMatching(/.{3}/),
      expect.stringMatching(/^.+, \d by \d: the largest is .+\.$/),
    ]);
  expect(rows.find(([name]) => name.startsWith('Mask'))[1]).toContain('; 15 not seen');
  await page.context().close();
});

test('stages are stepped through', async () => {
  const page = await opened();
  await page.click('text=Step through');
  const later = () => page.locator('#stages .later').count();
  const seen = [await later()];
  for (let i = 0; i < 5; ++i) {
    await page.click('text=Next ›');
    seen.push(await later());
  }
  expect(seen).toEqual([5, 4, 3, 2, 1, 0]);
  expect(await page.textContent('#steps .at')).toBe('6 of 6');
  await holds(page);
  await page.click('text=Show all');
  expect(await page.locator('#steps .at').textContent()).toBe('');
  await page.context().close();
});

test('each matrix as CSV, SVG and PNG', async () => {
  const page = await opened();
  const save = async (name) => {
    await page.click('figure[data-id=weights] summary');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click(`figure[data-id=weights] .sheet >> text=${name}`),
    ]);
    await page.keyboard.press('Escape');
    expect(download.suggestedFilename()).toBe(`qkv-weights.${name.toLowerCase()}`);
    return readFileSync(await download.path());
  };
  const state = completed(stateOfPreset('playground'), scores);
  const { weights } = await compute(state);
  const [head, ...lines] = String(await save('CSV'))
    .trim()
    .split('\r\n');
  expect(head).toBe(',k₁,k₂,k₃,k₄');
  const numbers = lines.flatMap((line) => line.split(',').slice(1).map(Number));
  expect(numbers.map(Math.fround)).toEqual(Array.from(weights.data));
  const svg = String(await save('SVG'));
  expect(svg.match(/<rect /g).length).toBe(13);
  for (const x of weights.data) expect(svg).toContain(`>${x.toFixed(2)}<`);
  expect((await save('PNG')).subarray(1, 4).toString()).toBe('PNG');
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test.each([
  ['light', 1280],
  ['dark', 390],
])(
  'axe finds nothing to mend, %s, %i pixels wide',
  async (colorScheme, width) => {
    const options = { colorScheme, ...forAxe, viewport: { width, height: 3000 } };
    const page = await opened('', options);
    for (const { id } of presets) {
      await page.evaluate((preset) => (location.hash = `preset=${preset}`), id);
      await page.waitForFunction((title) => document.title.startsWith(title), lessonTexts(id).title);
      await nextFrame(page);
      // The workbench is the same in every lesson. It is tested in the lesson with the most kinds of parts.
      const whole = (width < 760 ? ['playground'] : ['heads', 'shapes']).includes(id);
      expect([id, await axeFinds(page, whole ? {} : { within: '.lesson' })]).toEqual([id, []]);
      expect([id, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([id, width]);
    }
    await page.context().close();
  },
  120_000,
);

test('no interaction takes long of the page’s thread', async () => {
  const acts = {
    'a number': (round) => {
      const grid = document.querySelector('[data-id=query] qkv-grid');
      const detail = { row: 0, column: 0, value: round / 7 };
      grid.dispatchEvent(new CustomEvent('grid-edit', { detail, bubbles: true }));
    },
    'the temperature': (round) => {
      const temperature = document.querySelector('[name=Temperature]');
      temperature.value = String(1 + (round + 1) / 10);
      temperature.dispatchEvent(new Event('input'));
    },
    'a size': (round) => document.querySelector(`[aria-label="Queries: one ${round % 2 ? 'more' : 'less'}"]`).click(),
    'a lesson': (round) => document.querySelectorAll('#lessons a')[[4, 5][round % 2]].click(),
  };
  const times = {};
  for (const hash of ['', '#preset=kernel', '#preset=local', '#preset=positions']) {
    const page = await opened(hash);
    const session = await page.context().newCDPSession(page);
    // Time of the thread itself, because other programs may share the machine.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
    };
    for (const [name, act] of Object.entries(acts)) {
      const begin = await spent();
      await page.evaluate(`(async () => {
        const act = ${act};
        const scene = document.querySelector('#scene');
        for (let round = 0; round < ${kRounds}; ++round) {
          const before = scene.dataset.version;
          act(round);
          while (scene.dataset.version === before) await new Promise((next) => setTimeout(next));
          await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
        }
      })()`);
      times[`${hash || 'playground'}, ${name}`] = Math.round(((await spent()) - begin) / kRounds);
    }
    await page.context().close();
  }
  console.log('milliseconds an interaction:', JSON.stringify(times));
  // The goal of the page is 50 ms. On a busy machine it may take twice as long; an error such as an endless loop takes far longer.
  expect(Object.entries(times).filter(([, milliseconds]) => !(milliseconds < 200))).toEqual([]);
});
