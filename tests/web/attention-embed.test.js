// Figures of the page Attention in another page, with the tag that the page gives; and the page for teachers.

import { readFileSync } from 'node:fs';
import { compute } from '../../web/demo/attention/compute.js';
import { tagOf } from '../../web/demo/attention/embed.js';
import { readLink } from '../../web/demo/attention/link.js';
import { path } from '../../web/demo/attention/path.js';
import { stateOfPreset } from '../../web/demo/attention/presets.js';
import { completed } from '../../web/demo/attention/state.js';
import { lessonTexts } from '../../web/demo/attention/texts.js';
import { en } from '../../web/demo/attention/texts/en.js';
import { axeFinds, forAxe } from './axe.js';
import { browser, opened, scores, start, stateOf, stop } from './attention-support.js';

beforeAll(start);
afterAll(stop);

test('the tag keeps the state and the language, and is safe in HTML', () => {
  expect(tagOf('https://a.org/q/attention.html?lang=zh#preset=masks&causal=1', 'A "b" & c')).toBe(
    '<iframe src="https://a.org/q/attention.html?lang=zh&amp;embed#preset=masks&amp;causal=1" title="A &quot;b&quot; &amp; c" width="100%" height="640" style="border: 0"></iframe>',
  );
  expect(tagOf('https://a.org/attention.html?embed=all', 'x')).toContain('attention.html?embed"');
});

test('by its tag a figure is in another page, works there, and leads to the whole page in its state', async () => {
  const page = await opened('#preset=masks', { bypassCSP: true });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.click('#copy-tag');
  await page.waitForFunction(() => document.querySelector('#copied').textContent === 'Copied.');
  const tag = await page.evaluate(() => navigator.clipboard.readText());
  // A page of another origin on this machine: Chromium does not let pages of the network read local ones.
  await page.goto(`${browser.url.replace('localhost', '127.0.0.1')}docs/teaching.html`);
  await page.evaluate((html) => document.querySelector('article').insertAdjacentHTML('afterbegin', html), tag);
  const frame = page.frameLocator('iframe');
  await frame.locator('#scene[data-version] input').first().check();
  await frame.locator('#exercise-state:has-text("Done.")').waitFor();
  for (const hidden of ['.top', '#lessons', '.workbench', '.extras']) {
    expect([hidden, await frame.locator(hidden).isVisible()]).toEqual([hidden, false]);
  }
  await page.waitForTimeout(400); // the address follows with a delay
  const [whole] = await Promise.all([page.context().waitForEvent('page'), frame.locator('#whole a').click()]);
  await whole.waitForSelector('#scene[data-version]', { state: 'attached' });
  expect(new URL(whole.url()).searchParams.has('embed')).toBe(false);
  expect(await whole.isChecked('#controls [name=causal]')).toBe(true);
  expect(await whole.isVisible('.top')).toBe(true);
  await page.context().close();
});

test.each([
  ['figure', 700, 'light'],
  ['figure', 375, 'dark'],
  ['all', 700, 'dark'],
])(
  'embedded, %s, %i pixels wide, %s: no rule of axe is broken, nothing stands out',
  async (embed, width, colorScheme) => {
    const options = { ...forAxe, colorScheme, viewport: { width, height: 1400 } };
    const page = await browser.open(`attention.html?embed=${embed}#preset=block`, options);
    await page.waitForSelector('#scene[data-version]', { state: 'attached' });
    expect(await page.isVisible('.workbench')).toBe(embed === 'all');
    expect(await axeFinds(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.context().close();
  },
);

const teaching = readFileSync(new URL('../../web/docs/teaching.md', import.meta.url), 'utf8');

test('the teacher’s page has each exercise as the page says it, and every stop is in a lesson of its plan', () => {
  const exercises = [...teaching.matchAll(/^\d+\. \*\*\[(.*?)\]\(.*?#preset=(\w+)\)\.\*\* (.*)$/gm)];
  expect(exercises.map(([, title, id, text]) => [id, title, text])).toEqual(
    path.map(({ id }) => [id, lessonTexts(id).title, lessonTexts(id).exercise]),
  );
  const plan = teaching.split('## Exercises with answers')[0];
  expect(path.filter(({ id }) => !plan.includes(`#preset=${id})`)).map(({ id }) => id)).toEqual([]);
  const minutes = plan
    .split('\n### ')
    .slice(1)
    .map((lesson) => [...lesson.matchAll(/^\| (\d+) \|/gm)].reduce((sum, [, count]) => sum + Number(count), 0));
  expect(minutes).toEqual([45, 45, 45, 45]);
});

test('what the teacher’s page says to press is on the page under that name', () => {
  const exercises = teaching.split('## Exercises with the figures')[1].split('\n## ')[0];
  const named = [...exercises.matchAll(/^- \*\*.*?\*\* \(.*?, \*(.*?)\*\)/gm)].map(([, label]) => label);
  expect(named).toHaveLength(6);
  const texts = JSON.stringify(en.lessons);
  for (const label of named) expect([label, texts.includes(`"${label}`)]).toEqual([label, true]);
});

const answers = [...teaching.matchAll(/\*Answer:\* .*\[Open\]\(\.\.\/demo\/attention\.html(#.*?)\)$/gm)].map(
  ([, hash]) => hash,
);

test.each(path.map((stop, i) => [stop.id, stop, answers[i]]))(
  'the answer of %s is one',
  async (id, { isDone }, hash) => {
    const begin = completed(stateOfPreset(id), scores);
    const state = completed(readLink(hash, stateOf), scores);
    expect(state.preset).toBe(id);
    expect(isDone({ state, result: await compute(state), first: await compute(begin) })).toBe(true);
  },
);

test('the teacher’s page leads to the stops', async () => {
  const page = await browser.open('docs/teaching.html');
  await page.click('article >> text=Kernel regression >> nth=0');
  await page.waitForSelector('#scene[data-version]', { state: 'attached' });
  expect(await page.textContent('#lesson-title')).toBe('Kernel regression');
  await page.context().close();
});
