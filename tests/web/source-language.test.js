// The page Translate says which language a text looks like, if that is not the source language.

import { axeFinds, forAxe } from './axe.js';
import { settled, translate } from './chromium.js';
import { withPages } from './pages.js';

const pages = withPages();
const kItalian = 'Questa è una bella casa e abito qui già da molto tempo.';

test('text in another language is reported, with the letters that decided, and its direction is offered', async () => {
  const asked = [];
  const page = await pages.browser.open('?engine=baseline', forAxe, (opened) =>
    opened.route('**/assets/*.bin', (route) => {
      asked.push(route.request().url());
      return route.continue();
    }),
  );
  await settled(page);
  expect(asked).toEqual([]); // not before something is typed
  expect(await page.isVisible('#looks')).toBe(false);
  await translate(page, kItalian);
  await page.waitForSelector('#looks:visible');
  expect(asked).toHaveLength(1);
  expect(await page.textContent('#looks-name')).toBe('Italian');
  expect(await page.textContent('#looks-letters')).toBe(kItalian);
  const shares = await page.$$eval('#looks-letters span', (spans) =>
    spans.map((span) => Number(span.style.getPropertyValue('--share'))),
  );
  expect(Math.max(...shares)).toBe(1);
  expect(shares[kItalian.indexOf(' ')]).toBe(0);
  expect(await page.textContent('#message')).not.toContain('does not look like');
  expect(await axeFinds(page)).toEqual([]);

  await page.click('#looks-offer');
  await page.waitForSelector('#firefox:visible');
  expect([await page.inputValue('#firefox-from'), await page.inputValue('#firefox-to')]).toEqual(['it', 'en']);
  expect(page.complaints).toEqual([]);
});

test('English, a few letters, numbers and names say nothing', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await settled(page);
  for (const text of [
    'The weather is fine today, is it not?',
    'Das',
    '3.14 + 2',
    kItalian,
    'Good morning, my friend.',
  ]) {
    await translate(page, text);
    if (text === kItalian) await page.waitForSelector('#looks:visible');
    else await page.waitForSelector('#looks', { state: 'hidden' });
  }
  expect(page.complaints).toEqual([]);
});
