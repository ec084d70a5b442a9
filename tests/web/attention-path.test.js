// The course through attention: its order, its exercises, and the progress that the page stores.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compute } from '../../web/demo/attention/compute.js';
import { path } from '../../web/demo/attention/path.js';
import { presets, stateOfPreset } from '../../web/demo/attention/presets.js';
import { lessonTexts } from '../../web/demo/attention/texts.js';
import { zh } from '../../web/demo/attention/texts/zh.js';
import { completed } from '../../web/demo/attention/state.js';
import { axeFinds, forAxe } from './axe.js';
import { browser, opened, scores, start, stop } from './attention-support.js';
import { built } from './chromium.js';

beforeAll(start);
afterAll(stop);

/** For each lesson a change that solves its exercise. */
const kAnswers = {
  kernel: () => ({ parameters: { w: [[10]] }, query: [[1.2], [-2], [2.6]] }),
  bank: () => ({ parameters: { temperature: [[2]] } }),
  shapes: () => ({ score: 'additive', key: [[1], [2], [3]], parameters: {} }),
  bottleneck: ({ query }) => ({ query: [query[0].map((x) => -x), ...query.slice(1)] }),
  additive: () => ({ parameters: { ...stateOfPreset('additive').parameters, w_v: [[-3, -3, 3]] } }),
  compare: () => ({ score: 'cosine' }),
  scale: ({ query, key }) => ({ score: 'dot', query: query.map((row) => row.map((x) => 9 * x)), key }),
  luong: ({ query, scene }) => ({
    query: query.map((row, t) => (t === 2 ? [0, 1.05, 0.5] : row)), // as the page makes it
    scene: { ...scene, feed: 1 },
  }),
  local: () => ({ halfWidth: 0.5 }),
  sinks: () => ({ sinks: 1 }),
  hard: () => ({ temperature: 0.1 }),
  sparse: () => ({ selection: 'sparsemax', query: [[4, 0]] }),
  saliency: () => ({ query: [[0, 0, 2.5]] }),
  pointer: ({ key }) => ({ key: key.map((row, j) => (j === 1 ? row.map((x) => 20 * x) : row)) }),
  dense: ({ query, queryNames }) => ({ query: [...query, query[0]], queryNames: [...queryNames, 'more'] }),
  reach: () => ({ scene: { d: 64 } }),
  linear: () => ({ causal: false }),
  heads: () => ({ heads: 1 }),
  positions: ({ scene }) => ({ scene: { ...scene, on: 1, order: '3210' } }),
  distances: ({ parameters }) => ({
    parameters: {
      ...parameters,
      b: [
        [0, 3, -1],
        [0, 0, -1],
      ],
    },
  }),
  masks: () => ({ causal: true }),
  block: ({ query, scene }) => ({ query: query.map(() => query[0]), scene: { ...scene, residual: 0, layer: 8 } }),
  decoder: ({ query, key, scene }) => ({
    query: query.slice(-1),
    key: [...key, key[0], key[1]],
    value: [...key, key[0], key[1]],
    causal: false,
    scene: { ...scene, t: 6, cache: 1 },
  }),
  readers: () => ({ causal: false }),
  limits: () => ({
    key: [
      [0.5, 0.5],
      [2, 0],
      [-1, 0.3],
    ],
  }),
};

test('every lesson but the playground is a stop, once, in the order of the page', () => {
  expect(path.map(({ id }) => id)).toEqual(presets.slice(1).map(({ id }) => id));
  for (const { id } of path) {
    const { question, without, exercise } = lessonTexts(id);
    expect(question).toMatch(/^[A-Z].*\?$/);
    for (const sentence of [without, exercise]) expect(sentence).toMatch(/^[A-Z“].*\.$/);
    // The page says “Without it:” before it.
    expect([id, without, zh.lessons[id].without]).toEqual([
      id,
      expect.not.stringMatching(/^Without|^If /),
      expect.not.stringMatching(/^(如果)?没有它/),
    ]);
  }
});

test.each(path.map(({ id, isDone }) => [id, isDone]))(
  'the exercise of %s is not done at first, and is done by an answer',
  async (id, isDone) => {
    const begin = completed(stateOfPreset(id), scores);
    const first = await compute(begin);
    expect(isDone({ state: begin, result: first, first })).toBe(false);
    const state = completed({ ...begin, ...kAnswers[id](begin) }, scores);
    expect(isDone({ state, result: await compute(state), first })).toBe(true);
  },
);

test('an exercise that is done is announced and marked, also after the page is loaded again', async () => {
  const page = await opened('#preset=masks');
  expect(await page.textContent('#lesson-question')).toBe('What must a query not see?');
  expect(await page.textContent('#exercise-state')).toBe('');
  await page.check('#controls [name=causal]');
  await page.waitForFunction(() => document.querySelector('#exercise-state').textContent === 'Done.');
  const mark = () => page.textContent('#lessons a[href="#preset=masks"] .place');
  expect(await mark()).toBe('✓');
  await page.reload();
  await page.waitForSelector('#scene[data-version]', { state: 'attached' });
  expect(await mark()).toBe('✓');
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test('the path is walked from the playground to its end by its links', async () => {
  const page = await opened();
  for (const { id } of path) {
    await page.click('#lesson-steps a[rel=next]');
    await page.waitForFunction((wanted) => location.hash === `#preset=${wanted}`, id);
    await page.waitForFunction(
      (wanted) => document.querySelector('#lessons [aria-current]')?.hash === `#preset=${wanted}`,
      id,
    );
  }
  expect(await page.locator('#lesson-steps a[rel=next]').count()).toBe(0);
  await page.click('#lesson-steps a[rel=prev]');
  await page.waitForFunction(() => location.hash === '#preset=readers');
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test.each(['bottleneck', 'additive', 'compare', 'luong', 'reach', 'block', 'decoder', 'readers', 'limits'])(
  '%s: no rule of axe is broken, wide and narrow, and nothing stands out',
  async (id) => {
    for (const width of [1280, 375]) {
      const page = await opened(`#preset=${id}`, { ...forAxe, viewport: { width, height: 800 } });
      expect(await axeFinds(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await page.context().close();
    }
  },
);

test('the picture that a lesson takes from the documents is there', () => {
  expect(existsSync(join(built.site, 'docs/claims/length.svg'))).toBe(true);
});

test('the first stop is one link away from the page of translation', async () => {
  const page = await browser.open();
  await page.click('text=Learn attention');
  await page.waitForSelector('#lesson-steps a[rel=next]');
  await page.context().close();
});
