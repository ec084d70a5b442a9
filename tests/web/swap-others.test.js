// The languages of the page Translate are swapped in Firefox and in WebKit: by the button, and back by it.

import { testInOtherBrowsers } from './other-browsers.js';

/** Runs in the page: whether the model with this name has translated the text. */
const isTranslatedBy = (name) =>
  document.querySelector('#message').textContent.startsWith(`${name} `) &&
  document.querySelector('#target').getAttribute('aria-busy') === 'false' &&
  !!document.querySelector('qkv-matrix')?.slice;

/** Runs in the page: the two texts, and the languages on both sides. */
const shown = () => ({
  source: document.querySelector('#source').value,
  target: document.querySelector('#target').textContent,
  names: [
    document.querySelector('label[for=source]').textContent,
    document.querySelector('#language').selectedOptions[0].text,
  ],
});

testInOtherBrowsers('index.html', async (page) => {
  await page.waitFor(isTranslatedBy, 'en-fr');
  const before = await page.evaluate(shown);
  expect(before.names).toEqual(['English', 'French']);
  await page.click('#swap');
  await page.waitFor(isTranslatedBy, 'fr-en');
  const swapped = await page.evaluate(shown);
  expect(swapped.source).toBe(before.target);
  expect(swapped.target).toContain('My brother');
  expect(swapped.names).toEqual(['French', 'English']);
  await page.click('#swap');
  await page.waitFor(isTranslatedBy, 'en-fr');
  const back = await page.evaluate(shown);
  expect(back.source).toBe(swapped.target);
  expect(back.names).toEqual(['English', 'French']);
});
