// Every stop of the page Attention in Firefox and in WebKit: it comes up with its equations and its numbers, and axe finds nothing
// to mend.

import { path } from '../../web/demo/attention/path.js';
import { lessonTexts } from '../../web/demo/attention/texts.js';
import { axeFindsIn } from './axe.js';
import { openFirefox } from './firefox.js';
import { hasWebKit, openWebKit } from './webkit.js';

/** In the page: goes to a lesson. */
const goTo = (id) => (location.hash = `preset=${id}`);
/** In the page: whether the lesson of this title is in view, its figure and its sums drawn. */
const isThere = (title) =>
  document.title.startsWith(title) &&
  !!document.querySelector('#scene')?.dataset.version &&
  document.querySelectorAll('[data-id=context] tbody td').length > 0 &&
  document.querySelectorAll('#lesson-equation math').length > 0;
const problem = () => document.querySelector('#problem').textContent;

/**
 * @param {{evaluate: (use: any, ...values: any[]) => Promise<any>}} page
 * @param {(use: any, value: string) => Promise<unknown>} waitFor
 */
async function everyStop(page, waitFor) {
  for (const { id } of path) {
    await page.evaluate(goTo, id);
    await waitFor(isThere, lessonTexts(id).title);
    expect([id, await page.evaluate(problem)]).toEqual([id, '']);
    expect([id, await axeFindsIn(page)]).toEqual([id, []]);
  }
}

test('Firefox', async () => {
  const firefox = await openFirefox();
  try {
    const page = await firefox.open('attention.html?lang=en');
    await everyStop(page, (use, value) => page.waitForFunction(use, {}, value));
    expect(page.complaints).toEqual([]);
  } finally {
    await firefox.close();
  }
}, 300_000);

(hasWebKit ? test : test.skip)(
  'WebKit',
  async () => {
    const webkit = await openWebKit();
    try {
      const page = await webkit.open('attention.html?lang=en');
      await everyStop(page, (use, value) => page.waitFor(use, value));
      expect(await page.complaints()).toEqual([]);
    } finally {
      await webkit.close();
    }
  },
  300_000,
);
