// <qkv-translate> and page-auto.js: by mouse and by keyboard, for screen readers, in dark mode, under a strict policy.
import { readFileSync as read } from 'node:fs';
import { axeFinds } from './axe.js';
import { built, openBrowser } from './chromium.js';

const at = (path) => new URL(`../../${path}`, import.meta.url);
const policy = /content="(default-src[^"]+)"/.exec(read(at('web/demo/parts/head.html'), 'utf8'))[1];
const shots = process.env.QKV_SHOTS;

let browser;
beforeAll(async () => {
  browser = await openBrowser(built.package);
});
afterAll(() => browser?.close());

const kText = '<main><h1>My house</h1><p>My brother lives in a <a href="#x">big white house</a>.</p></main>';
const kElement = `${kText}<qkv-translate to="fr" languages="fr de es" base-url="/models/"></qkv-translate>`;

/** @param {string} body */
const open = (body, options = {}, script = '') =>
  browser.open('page.html', options, async (page) => {
    const html = `<!doctype html><html lang="en"><title>A page</title><body>${body}${script}`;
    const headers = { 'content-security-policy': policy };
    await page.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', body: html, headers }));
    // The folder of models has the engine's files too, as on a site.
    await page.route('**/models/qkv-*', (route) =>
      route.fulfill({ path: new URL(route.request().url()).pathname.replace('/models/', `${built.package}/assets/`) }),
    );
    await page.route('**/models/worker.js', (route) => route.fulfill({ path: `${built.package}/assets/worker.js` }));
  });

const define = (page) => page.evaluate(async () => (await import('/page.js')).defineTranslate());
const message = (page) =>
  page.evaluate(() => document.querySelector('qkv-translate').shadowRoot.querySelector('[role=status]').textContent);
const done = (page, words) =>
  page.waitForFunction(
    (wanted) =>
      document.querySelector('qkv-translate').shadowRoot.querySelector('[role=status]').textContent.startsWith(wanted),
    words,
  );
const focused = (page) =>
  page.evaluate(() => document.querySelector('qkv-translate').shadowRoot.activeElement?.textContent);

test('a click translates, another puts back; its own words stay', async () => {
  const page = await open(kElement);
  await define(page);
  const was = await page.evaluate(() => document.querySelector('main').outerHTML);
  await page.getByRole('button', { name: 'Translate into français' }).click();
  await done(page, 'The page is in');
  expect(await page.textContent('main p')).toBe('Mon frère vit dans une grande maison blanche.');
  expect(await page.textContent('main a')).toBe('grande maison blanche');
  const restored = page.evaluate(() =>
    new Promise((resolve) => document.addEventListener('qkv-restored', resolve, { once: true })).then(() => true),
  );
  await page.getByRole('button', { name: 'Show the original' }).click();
  expect(await restored).toBe(true);
  expect(await page.evaluate(() => document.querySelector('main').outerHTML)).toBe(was);
  expect(await message(page)).toBe('The page is as it was');
  expect(page.complaints).toEqual([]);
});

test('the keyboard does all of it, and the menu chooses the language', async () => {
  const page = await open(kElement);
  await define(page);
  await page.getByRole('button', { name: 'Languages' }).focus();
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toBe('français');
  await page.keyboard.press('ArrowUp');
  expect(await focused(page)).toBe('Original and translation');
  await page.keyboard.press('Home');
  await page.keyboard.press('Escape');
  expect(await focused(page)).toBe('▾');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await done(page, 'The page is in Deutsch');
  expect(await page.textContent('main h1')).toBe('Mein Haus');
  await page.keyboard.press('Enter');
  expect(
    await page.evaluate(
      () => document.querySelector('qkv-translate').shadowRoot.querySelector('[aria-checked=true]').textContent,
    ),
  ).toBe('Deutsch');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.qkv-translation'));
  await done(page, 'The page is in Deutsch');
  expect(await page.textContent('main h1')).toBe('My houseMein Haus');
  expect(page.complaints).toEqual([]);
});

test.each(['light', 'dark'])('screen readers find no fault with it, %s', async (colorScheme) => {
  const page = await open(kElement.replace(/<a.*<.a>/, 'house'), {
    bypassCSP: true,
    colorScheme,
    viewport: { width: 640, height: 400 },
  });
  await define(page);
  await page.evaluate((scheme) => document.documentElement.style.setProperty('color-scheme', scheme), colorScheme);
  await page.getByRole('button', { name: 'Languages' }).click();
  if (shots) await page.screenshot({ path: `${shots}/element-${colorScheme}.png` });
  expect(await axeFinds(page)).toEqual([]);
});

test('what fails is reported, and the page stays', async () => {
  const page = await open(kElement.replace('to="fr" languages="fr de es"', 'to="xx"'));
  await define(page);
  await page.getByRole('button', { name: /Translate into/ }).click();
  await page.getByRole('alert').filter({ hasText: 'The page could not be translated' }).waitFor();
  expect(await page.textContent('main h1')).toBe('My house');
  await page.getByRole('button', { name: /Translate into/ }).waitFor();
  expect(page.complaints.filter((text) => !text.includes('404'))).toEqual([]);
});

test('one line of script does it all', async () => {
  const script = '<script type="module" src="/page-auto.js" data-to="es" data-base-url="/models/" data-start></script>';
  const page = await open(kText, {}, script);
  await page.waitForFunction(() => document.querySelector('h1').textContent === 'Mi casa');
  await done(page, 'The page is in español');
  if (shots) await page.screenshot({ path: `${shots}/auto.png` });
  await page.getByRole('button', { name: 'Show the original' }).click();
  expect(await page.textContent('main h1')).toBe('My house');
  expect(page.complaints).toEqual([]);
});
