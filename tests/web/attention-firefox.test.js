// The page Attention in Firefox: the numbers and equations of each lesson.

import { compute } from '../../web/demo/attention/compute.js';
import { presets, stateOfPreset } from '../../web/demo/attention/presets.js';
import { lessonTexts } from '../../web/demo/attention/texts.js';
import { completed } from '../../web/demo/attention/state.js';
import { scores as listScores } from '../../web/lib/attention/index.js';
import { openFirefox } from './firefox.js';

const scores = await listScores();
let firefox;

beforeAll(async () => {
  firefox = await openFirefox();
});

afterAll(() => firefox?.close());

test('every lesson in Firefox', async () => {
  const page = await firefox.open('attention.html');
  await page.waitForSelector('#scene[data-version]');
  for (const { id } of presets) {
    if (id !== 'playground') await page.evaluate((preset) => (location.hash = `preset=${preset}`), id);
    await page.waitForFunction((text) => document.title.startsWith(text), {}, lessonTexts(id).title);
    const shown = await page.$$eval('[data-id=context] td:not(thead td)', (cells) =>
      cells.map(({ textContent }) => Number(textContent.replace('−', '-'))),
    );
    const state = completed(stateOfPreset(id), scores);
    const { output } = await compute({ ...state, convention: 'rows' });
    const [rows, columns] = output.shape;
    // Two builds may round the last digit differently.
    const wanted = Array.from(output.data, (_, at) =>
      state.convention === 'rows' ? output.data[at] : output.data[(at % rows) * columns + Math.floor(at / rows)],
    );
    expect(shown.length).toBe(wanted.length);
    shown.forEach((x, at) => expect(Math.abs(x - wanted[at])).toBeLessThan(0.0051));
    // A fraction is drawn as one: it is taller than its line of text.
    const heights = await page.$$eval('#equations mfrac', (all) =>
      all.map((one) => one.getBoundingClientRect().height),
    );
    for (const height of heights) expect(height).toBeGreaterThan(16);
  }
  expect(page.complaints).toEqual([]);
});
