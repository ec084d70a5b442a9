// The documents as pages: every link works, the search works, and axe finds no problem, also on a phone.

import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { axeFinds, forAxe } from './axe.js';
import { built, openBrowser } from './chromium.js';

const docs = join(built.site, 'docs');
const pages = readdirSync(docs, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.html'));
const html = (page) => readFileSync(join(docs, page), 'utf8');
const unescape = (text) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');

let browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

test('each document is a page, and so is each entry point of the package', () => {
  const written = readdirSync('web/docs', { recursive: true }).map(String);
  for (const path of written.filter((name) => name.endsWith('.md')))
    expect(pages).toContain(path.replace(/\.md$/, '.html'));
  for (const entry of ['index', 'attention', 'models', 'train', 'view'])
    expect(pages).toContain(`reference/${entry}/README.html`);
  expect(html('reference/index/README.html')).toMatch(/id="translator"/);
});

test('each link within the site leads to a page, a picture or a heading that is there', () => {
  const ids = new Map(
    pages.map((page) => [page, new Set([...html(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const lost = pages.flatMap((page) =>
    [...html(page).matchAll(/(?:href|src)="([^"]*)"/g)]
      .map(([, link]) => unescape(link))
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [address, hash] = link.split('#');
        const [path] = address.split('?');
        const joined = path === '' ? page : posix.relative('', posix.join('docs', dirname(page), path));
        const target =
          path === '' ? page : posix.relative('docs', joined.endsWith('docs') ? 'docs/index.html' : joined);
        if (target.startsWith('..')) return !readable(target.endsWith('..') ? '../index.html' : target);
        if (hash === undefined || hash === '') return !readable(target);
        return !ids.get(target)?.has(decodeURIComponent(hash));
      })
      .map((link) => `${page}: ${link}`),
  );
  expect(lost).toEqual([]);
});

const readable = (path) => {
  try {
    return readFileSync(join(docs, path)).length > 0;
  } catch {
    return false;
  }
};

test('the search finds a section by the keyboard, and goes there', async () => {
  const page = await browser.open('docs/');
  await page.fill('#search', 'alibi');
  await page.waitForSelector('#results a');
  await page.press('#search', 'ArrowDown');
  expect(await page.getAttribute('#search', 'aria-activedescendant')).toBe('result-0');
  const found = await page.getAttribute('#result-0', 'href');
  await Promise.all([page.waitForURL(found), page.press('#search', 'Enter')]);
  expect(await page.$eval('article', (article) => article.textContent)).toMatch(/ALiBi/i);
  expect(page.complaints).toEqual([]);
});

test('the search says when it finds nothing, and closes on Escape', async () => {
  const page = await browser.open('docs/training.html');
  await page.fill('#search', 'xyzzyplugh');
  await page.waitForSelector('#results .none');
  expect(await page.textContent('#results')).toBe('Nothing about “xyzzyplugh”');
  await page.press('#search', 'Escape');
  expect(await page.isVisible('#results')).toBe(false);
});

test.each(['index.html', 'getting-started.html', 'attention.html', 'errors.html', 'reference/index/README.html'])(
  '%s: no rule of axe is broken, and nothing stands out at 375 pixels',
  async (path) => {
    for (const colorScheme of ['light', 'dark']) {
      const page = await browser.open(`docs/${path}`, {
        ...forAxe,
        colorScheme,
        viewport: { width: 375, height: 800 },
      });
      expect(await axeFinds(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      expect(page.complaints).toEqual([]);
      await page.close();
    }
  },
);
