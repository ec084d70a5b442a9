// The page Attention in Chinese: the language comes from the browser, the address or the switch. Other readers do not download it.

import { presets } from '../../web/demo/attention/presets.js';
import { zh } from '../../web/demo/attention/texts/zh.js';
import { axeFinds, forAxe } from './axe.js';
import { browser, opened, start, stop } from './attention-support.js';

beforeAll(start);
afterAll(stop);

/** The texts that every lesson has. */
const shown = (page) =>
  page.evaluate(() => ({
    lang: document.documentElement.lang,
    title: document.querySelector('#lesson-title').textContent,
    hint: document.querySelector('#hint').textContent,
    current: document.querySelector('#languages [aria-current]').textContent,
  }));

test('an English reader gets English, and does not download the Chinese texts', async () => {
  const files = [];
  const page = await browser.open('attention.html', { locale: 'en-US' }, async (one) => {
    one.on('request', (request) => files.push(new URL(request.url()).pathname));
  });
  await page.waitForSelector('#scene[data-version]', { state: 'attached' });
  expect(await shown(page)).toMatchObject({ lang: 'en', title: 'Playground', current: 'English' });
  expect(files.filter((name) => /zh-\w+\.js/.test(name))).toEqual([]);
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test('a Chinese reader gets Chinese; the switch leads to English at the same place, and is remembered', async () => {
  const page = await opened('#preset=masks&causal=1', { locale: 'zh-CN' });
  expect(await shown(page)).toEqual({
    lang: 'zh-Hans',
    title: zh.lessons.masks.title,
    hint: zh.markup.hint,
    current: '中文',
  });
  await page.click('#languages >> text=English');
  await page.waitForFunction(() => document.documentElement.lang === 'en' && document.title.startsWith('Masks'));
  const address = new URL(page.url());
  expect([address.searchParams.get('lang'), address.hash]).toEqual(['en', '#preset=masks&causal=1']);
  await page.goto(address.origin + address.pathname);
  await page.waitForSelector('#scene[data-version]', { state: 'attached' });
  expect((await shown(page)).title).toBe('Playground');
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test('without the file of Chinese texts the page comes up in English', async () => {
  const page = await browser.open('attention.html?lang=zh', {}, (one) =>
    one.route('**/zh-*.js', (route) => route.fulfill({ status: 404 })),
  );
  await page.waitForSelector('#scene[data-version]', { state: 'attached' });
  expect(await page.textContent('#lesson-title')).toBe('Playground');
  await page.context().close();
});

test('names that the page made up, and why sizes do not fit, are in Chinese', async () => {
  const page = await opened('#preset=saliency', { locale: 'zh-CN' });
  const columns = () => page.$$eval('[data-id=weights] thead th', (all) => all.map(({ textContent }) => textContent));
  expect((await columns()).slice(-5)).toEqual(zh.lessons.saliency.things.party);
  await page.evaluate(() => (location.hash = 'preset=shapes'));
  await page.waitForFunction((wanted) => document.title.startsWith(wanted), zh.lessons.shapes.title);
  await page.check('.scene [value=misfit]', { force: true });
  await page.waitForSelector('#problem:visible');
  const dims = zh.page.dims('dot', 4, 2);
  expect(await page.textContent('#problem')).toBe(zh.page.misfit(dims));
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test.each([
  ['light', 1280],
  ['dark', 390],
])(
  'every lesson in Chinese: no English sentence is left, axe finds nothing to mend, nothing stands out, %s, %i pixels wide',
  async (colorScheme, width) => {
    const page = await opened('', { ...forAxe, locale: 'zh-CN', colorScheme, viewport: { width, height: 3000 } });
    for (const { id } of presets) {
      const { title } = zh.lessons[id];
      await page.evaluate((preset) => (location.hash = `preset=${preset}`), id);
      await page.waitForFunction((wanted) => document.title.startsWith(wanted), title);
      await page.waitForFunction(() => document.querySelector('#scene').dataset.version);
      // Two English words in a row, outside the program, the papers and the names in examples.
      const english = await page.evaluate(() => {
        const skipped = 'pre, script, noscript, #lesson-papers, [lang=en], qkv-grid, math, svg.pointer, .bars .name';
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walker.nextNode()) {
          const { textContent, parentElement } = walker.currentNode;
          if (!parentElement.closest(skipped)) found.push(textContent);
        }
        for (const one of document.querySelectorAll('[aria-label]'))
          if (!one.closest(skipped)) found.push(one.getAttribute('aria-label'));
        return found.filter(
          (text) =>
            text !== 'Good morning teacher' &&
            /[a-z]{3,}[ ,]+[a-z]{3,} [a-z]/.test(text) &&
            !/[\u4e00-\u9fff]/.test(text),
        );
      });
      expect([id, english]).toEqual([id, []]);
      // The lessons have the same parts in every language. Tests in English run axe on all of them.
      if (['kernel', 'heads'].includes(id)) expect([id, await axeFinds(page)]).toEqual([id, []]);
      expect([id, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)]).toEqual([id, 0]);
    }
    expect(page.complaints).toEqual([]);
    await page.context().close();
  },
  180_000,
);
