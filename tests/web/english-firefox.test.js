// The pages Understand, Generate and Models in Firefox, compared with the library in Node.

import { load } from '../../web/lib/models/index.js';
import { english } from './english.js';
import { openFirefox } from './firefox.js';

let firefox;
beforeAll(async () => {
  firefox = await openFirefox();
});
afterAll(() => firefox?.close());

const settled = (page, field) =>
  page.waitForFunction(
    (selector) =>
      document.querySelector(selector).getAttribute('aria-busy') === 'false' &&
      document.querySelector('qkv-matrix').slice &&
      document.querySelector('.answers .bars li'),
    {},
    field,
  );

test('Understand in Firefox guesses what Node guesses', async () => {
  const page = await firefox.open('understand.html');
  await settled(page, '#sentence');
  await page.click('.words button:nth-child(2)');
  await page.waitForFunction(() => document.querySelectorAll('.which-mask input').length === 2);
  const text = await page.$eval('#sentence', (area) => area.value);
  const model = await load(english('masked'));
  const [{ guesses }] = await model.fillMask(text, { count: 10 });
  model.destroy();
  const names = await page.$$eval('.answers .bars .name', (all) => all.map((one) => one.textContent));
  expect(names[0]).toBe(guesses[0].piece.replace('▁', ''));
  expect(new Set(names)).toEqual(new Set(guesses.map(({ piece }) => piece.replace('▁', '') || piece)));
  expect(page.complaints).toEqual([]);
});

test('Generate in Firefox writes on, and Models runs what it is told to', async () => {
  const page = await firefox.open('generate.html#text=Tom');
  await settled(page, '#prompt');
  await page.click('.step');
  await page.waitForFunction(() => document.querySelector('#prompt').value.length > 3);
  await settled(page, '#prompt');
  expect(page.complaints).toEqual([]);
  const models = await firefox.open('models.html#model=models/english/questions/');
  await settled(models, '#sentence');
  expect(await models.$eval('#facts-name', (name) => name.textContent)).toBe('questions');
  expect(models.complaints).toEqual([]);
});
