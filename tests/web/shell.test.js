// Everything that all pages share: the header, the policy, the theme; and that pages work under every path.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { axeFinds, forAxe } from './axe.js';
import { built, openBrowser } from './chromium.js';

const kPages = {
  'index.html': 'Translate',
  'attention.html': 'Attention',
  'understand.html': 'Understand',
  'generate.html': 'Generate',
  'models.html': 'Models',
  'lab.html': 'Lab',
};
const kLinks = { ...kPages, 'docs/': 'Docs' };

let browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

test('these are all the pages, each whole, with one and the same policy', () => {
  const files = readdirSync(built.site).filter((name) => name.endsWith('.html'));
  expect(files.toSorted()).toEqual(Object.keys(kPages).toSorted());
  const policies = files.map((name) => {
    const html = readFileSync(join(built.site, name), 'utf8');
    expect(html).not.toMatch(/qkv-part|\{\{|<slot>/);
    return /Content-Security-Policy"\s+content="([^"]+)"/.exec(html)[1];
  });
  expect(new Set(policies).size).toBe(1);
});

test.each(Object.entries(kPages))('%s: the header leads to every page, also on a phone', async (file, name) => {
  const page = await browser.open(file, { viewport: { width: 375, height: 800 }, colorScheme: 'light' });
  const links = await page.$$eval('.top nav:first-of-type a', (all) =>
    all.map((link) => [link.textContent, new URL(link.href).pathname.slice(1), link.getAttribute('aria-current')]),
  );
  expect(links).toEqual(
    Object.entries(kLinks).map(([path, title]) => [
      title,
      path.replace('index.html', ''),
      title === name ? 'page' : null,
    ]),
  );
  expect(await page.$eval('.top nav', (nav) => nav.scrollWidth - nav.clientWidth)).toBe(0);
  expect(await page.title()).toMatch(new RegExp(`${name}|qkv`));
  expect(await page.$eval('html', (html) => html.lang)).toBe('en');
  await page.check('#theme [value=dark]', { force: true });
  await page.reload();
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(20, 22, 26)');
  expect(page.complaints).toEqual([]);
});

test.each(Object.keys(kPages))(
  '%s: a heading and the words beside it do not run together when they are read out',
  async (file) => {
    const page = await browser.open(file);
    await page.waitForFunction(() => !document.querySelector('.texts:not([hidden]) [aria-busy=true]'));
    const joined = await page.$$eval('h1, h2, h3, summary, .subject', (all) =>
      all
        .filter((one) => one.checkVisibility())
        .flatMap((one) => [...one.querySelectorAll('small, .which')])
        .filter((part) => part.textContent.trim() !== '')
        .filter((part) => /\S$/.test(part.previousSibling?.textContent ?? ' ') && /^\S/.test(part.textContent))
        .map((part) => part.parentElement.textContent),
    );
    expect(joined).toEqual([]);
  },
);

test.each(Object.keys(kPages))('%s: a control is called by the words on it', async (file) => {
  const page = await browser.open(file, forAxe);
  await page.waitForFunction(() => !document.querySelector('.texts:not([hidden]) [aria-busy=true]'));
  expect(await axeFinds(page, { runOnly: ['label-content-name-mismatch'] })).toEqual([]);
});

test('the pages of one text work from a sub-path', async () => {
  const page = await browser.open('', {}, (early) =>
    early.route('**/deep/er/**', (route) => route.continue({ url: route.request().url().replace('/deep/er', '') })),
  );
  for (const [path, field] of [
    ['understand.html', '#sentence'],
    ['generate.html', '#prompt'],
    ['models.html#model=models/english/questions/', '#sentence'],
  ]) {
    await page.goto(`${browser.url}deep/er/${path}`);
    await page.waitForFunction(
      (selector) =>
        document.querySelector(selector).getAttribute('aria-busy') === 'false' &&
        document.querySelector('qkv-matrix').slice,
      field,
    );
  }
  expect(page.complaints).toEqual([]);
});
