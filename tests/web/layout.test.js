// What a reader sees and hears of a page's parts: drawings that fill their room or say that there is more, headings, words.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { path } from '../../web/demo/attention/path.js';
import { lessonTexts } from '../../web/demo/attention/texts.js';
import { built, nextFrame, openBrowser, settled, translate } from './chromium.js';

let browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

test('the matrix of a short sentence takes its room, and its numbers stand in it', async () => {
  const page = await browser.open('', { viewport: { width: 1440, height: 1000 } });
  await translate(page, 'Hi.');
  const [room, drawn] = await page.$eval('qkv-matrix', (matrix) => {
    const cells = [...matrix.querySelectorAll('.base rect')].map((cell) => cell.getBoundingClientRect());
    const [top, bottom] = [Math.min(...cells.map((one) => one.top)), Math.max(...cells.map((one) => one.bottom))];
    return [matrix.getBoundingClientRect().height, bottom - top];
  });
  expect(drawn / room).toBeGreaterThan(0.6);
  await page.context().close();
});

test('on a phone a picture that is wider than its room scrolls, by keys too, and a shade says so', async () => {
  const page = await browser.open('attention.html?lang=en', { viewport: { width: 390, height: 844 } });
  let wide = 0;
  for (const { id } of path) {
    await page.evaluate((lesson) => (location.hash = `preset=${lesson}`), id);
    await page.waitForFunction(
      (title) => document.title.startsWith(title) && document.querySelector('#scene').dataset.version,
      lessonTexts(id).title,
    );
    await page.$$eval('#scene details', (all) => all.forEach((one) => (one.open = true)));
    await nextFrame(page);
    const found = await page.evaluate(() => {
      const pictures = [...document.querySelectorAll('#scene :is(svg, img, table, canvas)')];
      const rooms = [...document.querySelectorAll('#scene .wide')].filter(
        (room) => room.scrollWidth > room.clientWidth,
      );
      return {
        cut: pictures
          .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
          .filter((one) => !one.closest('.wide, qkv-grid'))
          .map((one) => one.outerHTML.slice(0, 80)),
        rooms: rooms.map((room) => [room.tabIndex, getComputedStyle(room).backgroundImage.includes('gradient')]),
      };
    });
    expect([id, found.cut]).toEqual([id, []]);
    for (const room of found.rooms) expect([id, room]).toEqual([id, [0, true]]);
    wide += found.rooms.length;
  }
  expect(wide).toBeGreaterThan(0);
  expect(page.complaints).toEqual([]);
  await page.context().close();
}, 90_000);

const kPages = ['', 'attention.html#preset=heads', 'understand.html', 'generate.html', 'models.html', 'lab.html'];

test.each(kPages)('/%s: the parts of a heading do not run together where it is read aloud', async (name) => {
  const page = await browser.open(name);
  if (name === '') await settled(page);
  await page.waitForLoadState('networkidle');
  const joined = await page.evaluate(() =>
    [...document.querySelectorAll('h1, h2, h3, summary, legend')].flatMap((heading) =>
      [...heading.children]
        .filter((part) => !/^(math|svg|br)$/i.test(part.tagName) && part.textContent.trim() !== '')
        .filter((part) => {
          const before = part.previousSibling?.textContent ?? ' ';
          return before !== '' && !/\s$/.test(before) && !/^[\s,.:;]/.test(part.textContent);
        })
        .map(() => heading.textContent.trim()),
    ),
  );
  expect(joined).toEqual([]);
  await page.context().close();
});

test('opening a trace is not below saving: the menu is called by both', async () => {
  const page = await browser.open();
  await settled(page);
  expect(await page.$eval('#open', (button) => button.closest('details').querySelector('summary').textContent)).toBe(
    'Files',
  );
  await page.context().close();
});

// Light and dark change places with the theme.
test('no word on a page calls what is drawn light or dark', () => {
  const pages = readdirSync(built.site).filter((name) => name.endsWith('.html'));
  for (const name of pages) {
    const text = readFileSync(join(built.site, name), 'utf8').replace(/<[^>]*>/g, ' ');
    const found = text.match(
      /\b(dark|light|bright|pale)(er|est)?\s+(path|line|curve|cell|square|colour|blue|spot)s?\b/gi,
    );
    expect([name, found]).toEqual([name, null]);
  }
});
