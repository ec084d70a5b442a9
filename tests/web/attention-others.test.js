// Every lesson of the page Attention in Firefox and in WebKit: its equations and numbers are shown, and axe finds no problem.

import { path } from '../../web/demo/attention/path.js';
import { lessonTexts } from '../../web/demo/attention/texts.js';
import { axeFindsIn } from './axe.js';
import { testInOtherBrowsers } from './other-browsers.js';

/** In the page: goes to a lesson. */
const goTo = (id) => (location.hash = `preset=${id}`);
/** In the page: whether the lesson with this title is in view, with its picture and its numbers. */
const isThere = (title) =>
  document.title.startsWith(title) &&
  !!document.querySelector('#scene')?.dataset.version &&
  document.querySelectorAll('[data-id=context] tbody td').length > 0 &&
  document.querySelectorAll('#lesson-equation math').length > 0;
const problem = () => document.querySelector('#problem').textContent;

testInOtherBrowsers(
  'attention.html?lang=en',
  async (page) => {
    for (const { id } of path) {
      await page.evaluate(goTo, id);
      await page.waitFor(isThere, lessonTexts(id).title);
      expect([id, await page.evaluate(problem)]).toEqual([id, '']);
      expect([id, await axeFindsIn(page)]).toEqual([id, []]);
    }
  },
  { timeout: 300_000 },
);
