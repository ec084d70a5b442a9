// The Translate page in use: screen reader, contrast, narrow screens, zoom, no layout shifts.

import { axeFinds, forAxe } from './axe.js';
import { nextFrame, searched, settled, translate } from './chromium.js';
import { withPages } from './pages.js';

const pages = withPages();

test.each(['light', 'dark'])(
  'axe finds nothing to mend, %s',
  async (colorScheme) => {
    const page = await pages.browser.open('', { colorScheme, ...forAxe });
    const finds = () => axeFinds(page);
    await settled(page);
    expect(await finds()).toEqual([]);
    await searched(page);
    await page.hover('qkv-tree text.dropped >> nth=1');
    expect(await finds()).toEqual([]);
    await page.click('#save-search summary');
    expect(await finds()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.check('#kind [value=decoderSelf]', { force: true });
    await page.hover('qkv-pieces[side=target] button >> nth=3');
    expect(await finds()).toEqual([]);
    await page.check('#kind [value=cross]', { force: true });
    await page.check('#view [value=lines]', { force: true });
    await page.click('qkv-pieces[side=target] button >> nth=2');
    expect(await finds()).toEqual([]);
    await page.click('#alternatives [aria-pressed=false] >> nth=0');
    await settled(page);
    expect(await finds()).toEqual([]);
    await page.click('#save summary');
    expect(await finds()).toEqual([]);
    await page.click('#own-switch');
    await settled(page);
    expect(await finds()).toEqual([]);
    await page.fill('#source', '');
    await page.waitForFunction(() => !document.querySelector('qkv-matrix').slice);
    expect(await finds()).toEqual([]);
  },
  240_000,
);

test.each(['light', 'dark'])('axe finds nothing to mend where the model does not load, %s', async (colorScheme) => {
  const missing = (page) => page.route('**/*.safetensors', (route) => route.fulfill({ status: 404 }));
  const page = await pages.browser.open('', { colorScheme, ...forAxe }, missing);
  await page.waitForSelector('#retry:visible');
  expect(await axeFinds(page)).toEqual([]);
});

/** WCAG 2's contrast of two colours as computed styles write them. */
function contrast(...colours) {
  const [a, b] = colours
    .map((colour) =>
      colour
        .match(/[\d.]+/g)
        .slice(0, 3)
        .map((c) => c / 255),
    )
    .map((rgb) => rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)))
    .map(([r, g, blue]) => 0.2126 * r + 0.7152 * g + 0.0722 * blue);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

test.each(['light', 'dark'])('the drawings’ words read, which axe does not look at, %s', async (colorScheme) => {
  const page = await pages.browser.open('', { colorScheme, reducedMotion: 'reduce' });
  await settled(page);
  await searched(page);
  await page.check('#view [value=lines]', { force: true });
  await nextFrame(page);
  const texts = 'qkv-lines text, qkv-tree text, qkv-legend text';
  const fills = await page.$$eval(texts, (all) => [...new Set(all.map((one) => getComputedStyle(one).fill))]);
  const ground = await page.$eval('.attention', (card) => getComputedStyle(card).backgroundColor);
  expect(fills.length).toBeGreaterThan(1);
  for (const fill of fills) expect(contrast(fill, ground)).toBeGreaterThanOrEqual(4.5);
  const best = await page.$eval('qkv-tree path.best', (path) => getComputedStyle(path).stroke);
  expect(contrast(best, ground)).toBeGreaterThanOrEqual(3);
});

const kTexts = ['I like it.', `${'Internationalisation and then we went home '.repeat(8)}.`];

test.each([
  ['a phone', { width: 360, height: 780 }],
  ['a larger phone', { width: 390, height: 844 }],
  ['a desktop at 200 %', { width: 640, height: 450 }, 2],
  ['a desktop at 400 %', { width: 320, height: 256 }, 4],
  ['a little more than a tablet', { width: 761, height: 800 }],
  ['a desktop', { width: 1280, height: 800 }],
])('never scrolls sideways, and nothing lies over anything: %s', async (_, viewport, deviceScaleFactor = 1) => {
  const page = await pages.browser.open('', { viewport, deviceScaleFactor });
  await settled(page);
  for (const text of kTexts) {
    await translate(page, text);
    for (const kind of ['cross', 'encoderSelf', 'decoderSelf', 'alignment']) {
      await page.click(`#kind label:has([value=${kind}])`);
      await nextFrame(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    }
    await searched(page);
    expect(await page.evaluate(overlaps)).toEqual([]);
    await page.check('#view [value=lines]', { force: true });
    await page.click('qkv-pieces[side=target] button >> nth=1');
    await nextFrame(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    expect(await page.evaluate(overlaps)).toEqual([]);
    await page.keyboard.press('Escape');
  }
  await page.click('#own-switch');
  await settled(page);
  for (const menu of ['#save', '#save-search']) {
    await page.click(`${menu} summary`);
    const { x, width } = await page.locator(`${menu} .sheet`).boundingBox();
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(viewport.width);
    await page.keyboard.press('Escape');
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
});

/** Runs in the page: visible pairs of elements that overlap, where neither contains the other. */
function overlaps() {
  const parts = [
    ...document.querySelectorAll(
      'h2, p, label, button, summary, textarea, output, .language, qkv-matrix, qkv-lines, qkv-heads, qkv-tree, qkv-legend',
    ),
  ].filter((part) => part.checkVisibility() && !part.closest('.qkv-hidden') && part.textContent !== '');
  const shown = (part) => {
    let { left, top, right, bottom } = part.getBoundingClientRect();
    for (let around = part.parentElement; around; around = around.parentElement) {
      if (around === document.body || getComputedStyle(around).overflow === 'visible') continue;
      const box = around.getBoundingClientRect();
      [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
      [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
    }
    return { left, top, right, bottom };
  };
  const boxes = parts.map(shown);
  const found = [];
  parts.forEach((part, i) => {
    for (let j = i + 1; j < parts.length; ++j) {
      if (part.contains(parts[j])) continue;
      const [a, b] = [boxes[i], boxes[j]];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const name = (one) => `${one.localName} ${one.id} “${one.textContent.trim().slice(0, 24)}”`;
      if (wide > 1 && tall > 1) found.push(`${name(part)} and ${name(parts[j])}`);
    }
  });
  return found;
}

test.each([1280, 360])('nothing jumps, whatever is done: no layout shift, at %i pixels', async (width) => {
  const viewport = { width, height: 900 };
  const page = await pages.browser.open('', { viewport, reducedMotion: 'reduce' }, (early) =>
    early.addInitScript(() => {
      globalThis.shifts = [];
      const add = (list) =>
        list.getEntries().forEach(({ value, sources }) => {
          globalThis.shifts.push({
            value,
            nodes: sources.map(({ node, previousRect: { x, y }, currentRect: to }) => {
              const name =
                node?.id || node?.className || `${node?.nodeName} “${node?.textContent.trim().slice(0, 24)}”`;
              return `${name} from ${x}, ${y} to ${to.x}, ${to.y}`;
            }),
          });
        });
      new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
    }),
  );
  const steps = {
    'loading, and the first translation': () => settled(page),
    'a longer sentence': () =>
      translate(page, 'She told me that she had never been to such a beautiful and quiet place before.'),
    'pointing at a piece': () => page.hover('qkv-pieces[side=target] button >> nth=3'),
    'pinning it': () => page.click('qkv-pieces[side=target] button >> nth=3'),
    'another piece there': async () => {
      await page.click('#alternatives [aria-pressed=false] >> nth=0');
      await settled(page);
    },
    undoing: async () => {
      await page.click('#undo');
      await settled(page);
    },
    'the reader’s own translation': async () => {
      await page.click('#own-switch');
      await settled(page);
    },
    'the model’s again': async () => {
      await page.click('#own-switch');
      await settled(page);
    },
    'lines and back': async () => {
      for (const view of ['lines', 'matrix']) await page.check(`#view [value=${view}]`, { force: true });
    },
    'the search': () => searched(page),
    'a wider search': async () => {
      await page.check('#beam [value="8"]', { force: true });
      await searched(page);
      await page.hover('qkv-tree text.dropped >> nth=1');
    },
    'another sentence, the search in view': async () => {
      await page.evaluate(() => document.querySelectorAll('#examples button')[1].click());
      await settled(page);
      await searched(page);
    },
  };
  const jumps = [];
  for (const [what, step] of Object.entries(steps)) {
    await step();
    await nextFrame(page);
    const shifts = await page.evaluate(() => globalThis.shifts.splice(0));
    for (const shift of shifts) jumps.push({ what, ...shift });
  }
  const total = jumps.reduce((sum, { value }) => sum + value, 0);
  console.log(`cumulative layout shift at ${width} pixels: ${total.toFixed(4)}`);
  expect(total < 0.02 ? [] : jumps).toEqual([]); // usually 0.003; what loads late on a busy machine may move a little
});

test('the theme follows the system, and the switch, which is remembered', async () => {
  const page = await pages.browser.open('', { colorScheme: 'dark' });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await settled(page);
  expect(await paper()).toBe('rgb(20, 22, 26)');
  const ground = await page.$eval('qkv-matrix .base rect', (rect) => rect.getAttribute('fill'));
  await page.check('#theme [value=light]', { force: true });
  await nextFrame(page);
  expect(await paper()).toBe('rgb(252, 252, 250)');
  expect(await page.$eval('qkv-matrix .base rect', (rect) => rect.getAttribute('fill'))).not.toBe(ground);
  await page.reload();
  expect(await paper()).toBe('rgb(252, 252, 250)');
});

test('works from a sub-path', async () => {
  const page = await pages.browser.open('', {}, (early) =>
    early.route('**/deep/er/**', (route) => route.continue({ url: route.request().url().replace('/deep/er', '') })),
  );
  await page.goto(`${pages.browser.url}deep/er/`);
  await settled(page);
  expect(page.complaints).toEqual([]);
});
