// The exercises of the path, done by hand: with the controls of the page, first in a way that is no answer, then in one that is.

import { path } from '../../web/demo/attention/path.js';
import { lessonTexts } from '../../web/demo/attention/texts.js';
import { nextFrame, openBrowser } from './chromium.js';

let browser;
let page;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

beforeEach(async () => {
  page = await browser.open('attention.html?lang=en', { reducedMotion: 'reduce' });
  await page.waitForSelector('#scene[data-version]', { state: 'attached' });
});
afterEach(() => page.context().close());

/** Types a number into a cell; rows and columns count from 1. */
const type = (matrix, row, column, value) => async () => {
  await page.locator(`qkv-grid[data-id="${matrix}"] tbody tr:nth-child(${row}) td:nth-of-type(${column})`).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type(String(value));
  await page.keyboard.press('Enter');
};
/** Moves a slider of the picture, or of the choices. */
const move =
  (name, value, place = '#scene') =>
  () =>
    page.fill(`${place} input[type=range][name="${name}"]`, String(value));
const choose =
  (value, place = '#scene') =>
  () =>
    page.check(`${place} [value="${value}"]`, { force: true });
const tick =
  (name, place = '#scene') =>
  () =>
    page.setChecked(`${place} [type=checkbox][name="${name}"]`, true);
const untick =
  (name, place = '#scene') =>
  () =>
    page.setChecked(`${place} [type=checkbox][name="${name}"]`, false);
const select = (name, value) => () => page.selectOption(`#controls select[name=${name}]`, value);
const press = (name) => () => page.getByRole('button', { name, exact: true }).click();
const all =
  (...acts) =>
  async () => {
    for (const act of acts) await act();
  };

/** For each stop, what is no answer, and then what makes it one. */
const kDone = {
  kernel: [move('width 1 / w', 1), all(move('width 1 / w', 0.1), move('query x', 1.2))],
  bank: [move('the cosine’s τ', 0.2), move('the cosine’s τ', 2)],
  shapes: [choose('misfit'), press('additive')],
  bottleneck: [type('query', 1, 2, -4), type('query', 1, 2, -8)],
  additive: [type('p.w_v', 1, 1, 1), all(type('p.w_v', 1, 1, -3), type('p.w_v', 1, 2, -3))],
  compare: [select('score', 'scaled-dot'), select('score', 'cosine')],
  scale: [select('score', 'dot'), move('size d', 5)],
  luong: [choose('bahdanau'), tick('input feeding')],
  local: [move('half width D', 1), move('half width D', 0.5)],
  sinks: [press('Padding keys: one more'), press('First keys too: one more')],
  hard: [move('Temperature', 0.6, '#controls'), move('Temperature', 0.1, '#controls')],
  sparse: [select('selection', 'sparsemax'), type('query', 1, 1, 4)],
  saliency: [choose('winner'), choose('third')],
  pointer: [type('key', 2, 1, 5), type('key', 2, 1, 20)],
  dense: [move('length', 4), move('length', 6)],
  reach: [move('width d', 128), move('width d', 64)],
  linear: [press('Padding keys: one more'), untick('causal', '#controls')],
  heads: [choose('queries'), all(choose('heads'), choose('1', '#controls [data-name=Heads]'))],
  positions: [press('Shuffle the words'), tick('with positions')],
  distances: [type('p.b', 1, 2, 1), type('p.b', 1, 2, 3)],
  masks: [tick('padding mask'), tick('causal mask')],
  block: [untick('residual'), move('layer below', 8)],
  decoder: [tick('with a cache'), move('step t', 6)],
  readers: [move('word', 4), choose('bert')],
  limits: [type('key', 1, 1, 0.5), all(type('key', 1, 2, 0.5), type('key', 2, 1, 2), type('key', 2, 2, 0))],
};

test('every stop is here', () => expect(Object.keys(kDone)).toEqual(path.map(({ id }) => id)));

test.each(path.map(({ id }) => id))('%s: the page does not take what is no answer, and takes one', async (id) => {
  const [wrong, right] = kDone[id];
  const said = () => page.textContent('#exercise-state');
  await page.evaluate((preset) => (location.hash = `preset=${preset}`), id);
  await page.waitForFunction((title) => document.title.startsWith(title), lessonTexts(id).title);
  expect(await said()).toBe('');
  const version = await page.getAttribute('#scene', 'data-version');
  await wrong();
  await page.waitForFunction((before) => document.querySelector('#scene').dataset.version !== before, version);
  await page.waitForTimeout(300);
  expect(await said()).toBe('');
  await right();
  await page.waitForFunction(() => document.querySelector('#exercise-state').textContent === 'Done.', null, {
    timeout: 5000,
  });
  await nextFrame(page);
  expect(await page.textContent(`#lessons a[href="#preset=${id}"] .place`)).toBe('✓');
  expect(page.complaints).toEqual([]);
});
