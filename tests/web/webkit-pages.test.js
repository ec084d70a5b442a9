// The pages in WebKitGTK, the engine of Safari: the first state of each page, a translation with its weights, and the style sheets.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Translator } from '../../web/lib/index.js';
import { built } from './chromium.js';
import { hasWebKit, openWebKit } from './webkit.js';

const kText = 'The old man opened the little window.';

/** Runs in the page: whether the field at `selector` is settled and its attention drawn. */
const isSettled = (selector) =>
  document.querySelector(selector)?.getAttribute('aria-busy') === 'false' &&
  !!document.querySelector('qkv-matrix')?.slice &&
  !!document.querySelector('qkv-heads button');

(hasWebKit ? describe : describe.skip)('WebKit', () => {
  let webkit;
  beforeAll(async () => {
    webkit = await openWebKit();
  });
  afterAll(() => webkit?.close());

  test.each([
    ['index.html', '#target'],
    ['understand.html', '#sentence'],
    ['generate.html', '#prompt'],
    ['models.html#model=models/english/questions/', '#sentence'],
  ])('%s comes up with its first sentence, its matrix drawn', async (path, field) => {
    const page = await webkit.open(path);
    await page.waitFor(isSettled, field);
    await page.waitFor(() => document.querySelectorAll('qkv-matrix .base rect').length > 1);
    expect(await page.complaints()).toEqual([]);
  });

  test('attention.html comes up with its equations and the sums of its lesson', async () => {
    const page = await webkit.open('attention.html#preset=cross');
    await page.waitFor(() => document.querySelector('#scene')?.dataset.version);
    const cells = await page.evaluate(() => document.querySelectorAll('[data-id=context] tbody td').length);
    expect(cells).toBeGreaterThan(1);
    expect(await page.evaluate(() => document.querySelectorAll('#equations math').length)).toBeGreaterThan(2);
    expect(await page.text('#problem')).toBe('');
    expect(await page.complaints()).toEqual([]);
  });

  test('the bar that stays in view paints the sum of the cell that is pointed at', async () => {
    const page = await webkit.open('attention.html?lang=en#preset=bank');
    await page.waitFor(() => document.querySelector('#scene')?.dataset.version);
    const isStuck = () => document.querySelector('#reading').getBoundingClientRect().bottom >= innerHeight - 1;
    await page.evaluate(() => document.querySelector('#stages tbody td').scrollIntoView({ block: 'center' }));
    await page.waitFor(isStuck);
    const places = await page.evaluate(() =>
      [...document.querySelectorAll('#stages tbody td')].slice(0, 3).map((cell) => {
        const { x, y, width, height } = cell.getBoundingClientRect();
        return [Math.round(x + width / 2), Math.round(y + height / 2)];
      }),
    );
    const says = (earlier) => {
      const { textContent } = document.querySelector('#sum');
      return textContent !== earlier && textContent;
    };
    await page.point(1, 1);
    let said = await page.text('#sum');
    for (const place of places) {
      await page.point(...place);
      said = await page.waitFor(says, said);
    }
    // What is painted once nothing changes any more is what painting the bar anew gives.
    const still = async () => {
      for (let before = ''; ;) {
        const now = await page.screenshot('#reading');
        if (now === before) return now;
        before = now;
      }
    };
    const painted = await still();
    await page.evaluate(async () => {
      const frame = () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
      for (const visibility of ['hidden', '']) {
        document.querySelector('#reading').style.visibility = visibility;
        await frame();
      }
    });
    expect((await still()) === painted).toBe(true);
  });

  test('models.html without a model asks for one', async () => {
    const page = await webkit.open('models.html');
    await page.waitFor(() => document.querySelector('#bring')?.checkVisibility());
    expect(await page.complaints()).toEqual([]);
  });

  test('a sentence that is typed is translated, and the weights in view are those that Node has', async () => {
    const page = await webkit.open('?engine=baseline');
    await page.waitFor(isSettled, '#target');
    const first = await page.text('#target');
    await page.clear('#source');
    await page.type('#source', kText);
    const reference = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', wasm: 'baseline' });
    const [wanted, { cross }] = [await reference.translate(kText), await reference.trace(kText)];
    reference.destroy();
    await page.waitFor((text) => document.querySelector('#target').textContent === text, wanted);
    await page.waitFor(isSettled, '#target');
    expect(wanted).not.toBe(first);
    await page.click('qkv-heads [data-layer="1"][data-head="6"]');
    const [, heads, targets, sources] = cross.shape;
    const begin = (heads + 6) * targets * sources;
    const weights = Array.from(cross.data.subarray(begin, begin + targets * sources));
    await page.waitFor(() => document.querySelector('qkv-matrix').slice.head === 6);
    expect(await page.evaluate(() => Array.from(document.querySelector('qkv-matrix').slice.weights))).toEqual(weights);
    expect(await page.complaints()).toEqual([]);
  });

  test('a piece that is unsure has its dotted line', async () => {
    const page = await webkit.open();
    await page.waitFor(isSettled, '#target');
    const look = await page.evaluate(() => {
      const chip = document.querySelector('qkv-pieces[side=target] button');
      chip.classList.add('unsure');
      const { textDecorationLine, textDecorationStyle } = getComputedStyle(chip.querySelector('.text'));
      return [textDecorationLine, textDecorationStyle];
    });
    expect(look).toEqual(['underline', 'dotted']);
  });

  // Forced colours exist on no system with WebKit.
  const kElsewhere = ['forced-color-adjust'];

  test('every declaration of the style sheets is understood', async () => {
    const sheets = readdirSync(built.site).filter((name) => name.endsWith('.css'));
    const declarations = sheets.flatMap((name) => {
      const text = readFileSync(join(built.site, name), 'utf8').replace(/@property[^{]*\{[^}]*\}/g, '');
      return [...text.matchAll(/(?<=[{;]\s*)([a-z-]+)\s*:\s*([^;{}]+?)\s*(?:!important\s*)?(?=[;}])/g)]
        .map(([, property, value]) => [property, value])
        .filter(([property]) => !property.startsWith('--') && !kElsewhere.includes(property));
    });
    expect(declarations.length).toBeGreaterThan(500);
    const page = await webkit.open('attention.html');
    const unknown = await page.evaluate((all) => {
      // A variable has its value on this page. If a script or another page sets it, a colour, a number and a length are tried.
      const look = getComputedStyle(document.documentElement);
      const ofScripts = (name, other) => (['--of', '--first', '--second'].includes(name) ? 'red' : other);
      const filled = (value, other) => {
        const found = /var\((--[\w-]+)(?:,[^()]*)?\)/.exec(value);
        if (!found) return value;
        return filled(
          value.replace(found[0], look.getPropertyValue(found[1]).trim() || ofScripts(found[1], other)),
          other,
        );
      };
      const isKnown = (property, value) => ['1', '1px'].some((other) => CSS.supports(property, filled(value, other)));
      const hasPrefixed = (property) =>
        all.some(([name, value]) => name === `-webkit-${property}` && isKnown(name, value));
      return all
        .filter(([property, value]) => !isKnown(property, value) && !hasPrefixed(property))
        .map(([property, value]) => `${property}: ${value}`);
    }, declarations);
    expect(unknown).toEqual([]);
  });
});
