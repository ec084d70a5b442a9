// The elements of qkv/view as parts of a page: on a server, twice on a page, removed and inserted again, and in the
// page of web/docs/view.md.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Translator } from '../../web/lib/index.js';
import { built, openBrowser } from './chromium.js';

const kDocument = readFileSync(new URL('../../web/docs/view.md', import.meta.url), 'utf8');
const kPage = '<!doctype html><html lang="en"><title>A page</title><body></body></html>';
const kElements = ['grid', 'heads', 'legend', 'lines', 'matrix', 'pieces', 'tree'].map((name) => `qkv-${name}`);

let browser;
let trace;
beforeAll(async () => {
  browser = await openBrowser(built.package, { base: '/qkv/' });
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
  trace = JSON.stringify(await translator.trace('I love you.'));
  translator.destroy();
});
afterAll(() => browser?.close());

/** A page beside the package, with a trace. @param {string} [body] */
const open = async (body = kPage) => {
  const page = await browser.open('', {}, async (early) => {
    await early.route('**/qkv/', (route) => route.fulfill({ contentType: 'text/html', body: kPage }));
    await early.route(/\/page\.html$/, (route) => route.fulfill({ contentType: 'text/html', body }));
    await early.route(/\/trace\.json$/, (route) => route.fulfill({ contentType: 'application/json', body: trace }));
  });
  await page.goto(new URL('/page.html', browser.url).href);
  return page;
};

test('a server imports the elements, and its pieces that need no page work', () => {
  const index = new URL('../../dist/view/index.js', import.meta.url).href;
  const script = `import(${JSON.stringify(index)}).then(({ MatrixElement, Selection, readTrace, sliceOf }) => {
    const trace = readTrace(require('node:fs').readFileSync(0, 'utf8'));
    const { weights } = sliceOf(trace, { kind: 'cross', layer: 0, head: 0 });
    console.log(typeof MatrixElement, new Selection().current, weights.length === trace.cross.shape[2] * trace.cross.shape[3]);
  });`;
  const printed = execFileSync(process.execPath, ['-e', script], { input: trace, encoding: 'utf8' });
  expect(printed.trim()).toBe('function null true');
});

test('the page of the document draws the trace', async () => {
  const [, example] = /```html\n([\s\S]*?)```/.exec(kDocument);
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(10);
  const page = await open(example);
  await page.waitForSelector('qkv-matrix .base rect');
  const { target, source } = JSON.parse(trace);
  const printed = await page.$$eval('qkv-matrix .rows text', (all) => all.map((one) => one.textContent));
  expect(printed).toEqual(target.pieces.map((piece) => piece.replaceAll('▁', '')));
  expect(await page.locator('qkv-matrix .base rect').count()).toBe(target.pieces.length * source.pieces.length);
  // The style sheets must apply, not just be there: without one the cells have no colours.
  const fills = await page.$$eval(
    'qkv-matrix .base rect',
    (all) => new Set(all.map((one) => getComputedStyle(one).fill)).size,
  );
  expect(fills).toBeGreaterThan(3);
  expect(await page.$eval('qkv-matrix .scroll', (one) => getComputedStyle(one).overflowX)).toBe('auto');
  expect(page.complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
});

test('a second copy on a page leaves the first one’s elements, and its own functions work with them', async () => {
  const page = await open();
  const defined = await page.evaluate(
    async ([names, text]) => {
      const first = await import('/qkv/view/index.js');
      const before = names.map((name) => customElements.get(name));
      const second = await import('/qkv/view/index.js?again');
      const matrix = document.createElement('qkv-matrix');
      matrix.selection = new second.Selection();
      matrix.slice = second.sliceOf(second.readTrace(text), { kind: 'cross', layer: 0, head: 0 });
      document.body.append(matrix);
      return [
        before.every(Boolean) && matrix instanceof first.MatrixElement && !(matrix instanceof second.MatrixElement),
        names.every((name, at) => customElements.get(name) === before[at]),
      ];
    },
    [kElements, trace],
  );
  expect(defined).toEqual([true, true]);
  await page.waitForSelector('qkv-matrix .rows text');
  expect(await page.locator('qkv-matrix .rows text').count()).toBe(JSON.parse(trace).target.pieces.length);
});

test.each(kElements)(
  '%s listens as much after a third visit to the page as after the first, and not while it is away',
  async (name) => {
    const page = await open();
    const counts = await page.evaluate(
      async ([tag, text]) => {
        const { Selection, readTrace, sliceOf } = await import('/qkv/view/index.js');
        // The listeners of the element and of its selection: each (target, type, function) counts once.
        const live = new Map();
        const watched = (target) => {
          const held = [];
          live.set(target, held);
          const at = (type, heard) => held.findIndex((one) => one[0] === type && one[1] === heard);
          const { addEventListener: add, removeEventListener: remove } = target;
          target.addEventListener = (type, heard, ...rest) => {
            if (at(type, heard) < 0) held.push([type, heard]);
            add.call(target, type, heard, ...rest);
          };
          target.removeEventListener = (type, heard, ...rest) => {
            if (at(type, heard) >= 0) held.splice(at(type, heard), 1);
            remove.call(target, type, heard, ...rest);
          };
          return target;
        };
        const element = watched(document.createElement(tag));
        const selection = watched(new Selection());
        if ('selection' in element) element.selection = selection;
        const trace = readTrace(text);
        if ('slice' in element) element.slice = sliceOf(trace, { kind: 'cross', layer: 0, head: 0 });
        const count = () => [live.get(element).length, live.get(selection).length];
        const found = [];
        for (let visit = 0; visit < 3; ++visit) {
          document.body.append(element);
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          const here = count();
          element.remove();
          found.push({ here, selectionWhileAway: count()[1] });
        }
        return found;
      },
      [name, trace],
    );
    expect(counts[2]).toEqual(counts[0]);
    expect(counts[1]).toEqual(counts[0]);
    expect(counts[0].selectionWhileAway).toBe(0);
  },
);

test('an element that comes back shows what is lit now', async () => {
  const page = await open();
  const lit = await page.evaluate(async (text) => {
    const { Selection, readTrace, sliceOf } = await import('/qkv/view/index.js');
    const [matrix, pieces] = ['matrix', 'pieces'].map((name) => document.createElement(`qkv-${name}`));
    const trace = readTrace(text);
    const selection = (matrix.selection = pieces.selection = new Selection());
    matrix.slice = pieces.slice = sliceOf(trace, { kind: 'cross', layer: 0, head: 0 });
    pieces.side = 'target';
    pieces.show(trace.target);
    const drawn = async () => {
      for (let frame = 0; frame < 4; ++frame) await new Promise(requestAnimationFrame); // its size, then the drawing
    };
    const seen = () => [
      document.querySelectorAll('text.pointed').length,
      document.querySelectorAll('.pointed .text').length,
    ];
    document.body.append(matrix, pieces);
    await drawn();
    matrix.remove();
    pieces.remove();
    selection.toggle({ query: 1, key: null });
    document.body.append(matrix, pieces);
    await drawn();
    const back = seen();
    selection.clear();
    return [back, seen()];
  }, trace);
  expect(lit).toEqual([
    [1, 1],
    [0, 0],
  ]);
});

test('a search may be given to a tree before it is on the page, as frameworks do', async () => {
  const page = await open();
  await page.evaluate(async () => {
    await import('/qkv/view/index.js');
    const tree = document.createElement('qkv-tree');
    tree.search = null;
    document.body.append(tree);
  });
  await page.waitForSelector('qkv-tree[aria-label="No search to show yet"]');
  expect(page.complaints.filter((text) => !text.includes('404'))).toEqual([]);
});
