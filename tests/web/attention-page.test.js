// The page Attention in Chromium: every lesson and every option is opened, and its numbers are compared with those of the
// library in Node. Links and programs are tested too.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { lessonTexts } from '../../web/demo/attention/texts.js';
import { presets } from '../../web/demo/attention/presets.js';
import {
  browser,
  expectedOf,
  hashOf,
  holds,
  opened,
  other,
  scores,
  settled,
  shownIn,
  start,
  stop,
} from './attention-support.js';
import { built } from './chromium.js';

beforeAll(start);
afterAll(stop);

test('every lesson, from the front page', async () => {
  const front = await browser.open();
  await front.click('nav >> text=Attention');
  await front.waitForSelector('#scene[data-version]', { state: 'attached' });
  await front.context().close();
  const page = await opened();
  for (const { id, equations, papers } of presets) {
    const { title, about } = lessonTexts(id);
    await page.click(`#lessons a[href="${id === 'playground' ? '#' : `#preset=${id}`}"]`);
    await page.waitForFunction((text) => document.title.startsWith(text), title);
    expect(await page.locator('#lesson-about p').count()).toBe(about.length);
    // Symbols are drawn: W_q has no underscore.
    const sentences = await page.$$eval('#lesson-about, #lesson-without, #exercise-text', (all) =>
      all.map(({ textContent }) => textContent).join(' '),
    );
    expect(sentences).not.toMatch(/\w_\w/);
    expect(await page.locator('#lesson-equation math').count()).toBe(equations.length);
    expect(await page.locator('#lesson-papers a').count()).toBe(papers.length);
    await holds(page);
  }
  expect(page.complaints).toEqual([]);
  await page.context().close();
}, 180_000);

test('every lesson opens in the playground with its numbers and choices, and Back leads to the lesson again', async () => {
  const page = await opened();
  expect(await page.isVisible('#to-playground')).toBe(false);
  for (const { id } of presets.slice(1)) {
    const { title } = lessonTexts(id);
    await page.evaluate((preset) => (location.hash = `preset=${preset}`), id);
    await page.waitForFunction((text) => document.title.startsWith(text), title);
    await page.mouse.move(0, 0);
    await settled(page);
    const [lesson, numbers] = [await hashOf(page), await shownIn(page)];
    await page.click('#to-playground');
    await page.waitForFunction(() => document.title.startsWith('Playground'));
    await page.mouse.move(0, 0);
    await settled(page);
    expect([id, await shownIn(page)]).toEqual([id, numbers]);
    await page.goBack();
    await page.waitForFunction((text) => document.title.startsWith(text), title);
    expect([id, await hashOf(page)]).toEqual([id, lesson]);
  }
  expect(page.complaints).toEqual([]);
  await page.context().close();
}, 120_000);

test('the playground’s large equation is that of the choices', async () => {
  const page = await opened();
  const found = () => page.textContent('#lesson-equation');
  const first = await found();
  expect(first).toContain('softmax');
  await page.selectOption('#controls select[name=score]', 'additive');
  await settled(page);
  expect(await found()).toContain('tanh');
  await page.selectOption('#controls select[name=selection]', 'gate');
  await settled(page);
  expect(await found()).toContain('sigmoid');
  await page.click('#reset');
  await settled(page);
  expect(await found()).toBe(first);
  await page.context().close();
});

test('the lesson on Luong has the equations of the order that is chosen, and of input feeding', async () => {
  const page = await opened('#preset=luong');
  const found = () => page.$$eval('#lesson-equation math', (all) => all.map((one) => one.getAttribute('alttext')));
  const plain = await found();
  await page.check('#scene [type=checkbox][name="input feeding"]');
  await settled(page);
  const fed = await found();
  expect([plain[2], fed[2]]).toEqual([expect.not.stringContaining('h̃'), expect.stringContaining('h̃')]);
  await page.check('#scene [value=bahdanau]', { force: true });
  await settled(page);
  expect(await found()).toEqual([expect.stringContaining('h_t−1'), expect.stringContaining('RNN')]);
  await page.context().close();
});

test.each([
  ['alibi', 'm', 'slope'],
  ['gaussian', 'w', 'w'],
  ['cosine', 'τ', 'temperature'],
])('the constant of %s is shown, can be changed, and is in the link', async (score, symbol, name) => {
  const page = await opened();
  await page.selectOption('#controls select[name=score]', score);
  await settled(page);
  expect(await page.textContent(`#parameters figure[data-id="p.${name}"] .symbol`)).toBe(symbol);
  const before = (await shownIn(page)).scores;
  const cell = page.locator(`#parameters [data-id="p.${name}"] td[tabindex="0"]`);
  await cell.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('0.7');
  await page.keyboard.press('Enter');
  await settled(page);
  const after = await shownIn(page);
  expect(after.scores).not.toEqual(before);
  const expected = await expectedOf(await hashOf(page));
  expect([after.scores, after.weights]).toEqual([expected.scores, expected.weights]);
  await page.context().close();
});

test('a weight that a mask hides is told from a weight of nought', async () => {
  const page = await opened('#causal=1');
  const cells = (await shownIn(page)).weights;
  expect(cells[0].slice(1)).toEqual(['0', '0', '0']);
  expect(await page.locator('[data-id=weights] td.masked').count()).toBe(6);
  await page.hover('[data-id=weights] tbody tr:nth-child(1) td:nth-of-type(2)');
  expect(await page.textContent('#sum .made')).toBe('a₁₂ = 0: the key comes later than the query');
  const soft = await opened('#causal=1&selection=argmax');
  expect((await shownIn(soft)).weights.flat()).toContain('0.00');
  await page.context().close();
  await soft.context().close();
});

test('what is pinned in a stage that is still to come says nothing yet', async () => {
  const page = await opened();
  const sum = () => page.textContent('#sum');
  expect(await sum()).toContain('Context');
  await page.click('#steps button >> nth=0');
  await settled(page);
  expect(await sum()).toMatch(/^Point at a cell/);
  await page.click('text=Show all');
  await settled(page);
  expect(await sum()).toContain('Context');
  await page.context().close();
});

test('local-m looks around the query’s own place: p is t', async () => {
  const page = await opened('#preset=local&window=local-m');
  const range = page.locator('#scene input[type=range]').first();
  for (const t of [0, 4, 7]) {
    await range.fill(String(t));
    await settled(page);
    expect(await page.textContent('#scene')).toContain(`p = ${t}.0`);
    expect(await page.textContent('#scene .plot, #scene svg')).toContain(`p = ${t}.0`);
  }
  await page.context().close();
});

test('the memory bank has one temperature, the cosine’s', async () => {
  const page = await opened('#preset=bank');
  const names = await page.$$eval('.slider', (all) =>
    all.filter((one) => one.checkVisibility()).map((one) => one.querySelector('input').name),
  );
  expect(names.filter((name) => /τ|temperature/i.test(name))).toEqual(['the cosine’s τ']);
  await page.context().close();
});

test('no two parts of a lesson are called V: low-rank’s parameters are U_k and U_q, as in its equation', async () => {
  const page = await opened('#score=low-rank');
  const symbols = await page.$$eval('.workbench figure .symbol', (all) => all.map(({ textContent }) => textContent));
  expect(symbols.filter((symbol) => symbol === 'V')).toHaveLength(1);
  expect(symbols).toEqual(expect.arrayContaining(['Uk', 'Uq']));
  await page.context().close();
});

test('on a phone a button leads to the choices', async () => {
  const page = await opened('', { viewport: { width: 390, height: 844 } });
  expect(await page.$eval('#choices', (choices) => choices.open)).toBe(false);
  await page.click('#to-choices');
  await page.waitForFunction(() => document.querySelector('#choices').getBoundingClientRect().top < innerHeight / 2);
  expect(await page.isVisible('#controls')).toBe(true);
  expect(await page.evaluate(() => document.activeElement.textContent)).toBe('Choices');
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await page.isVisible('#to-choices')).toBe(false);
  await page.context().close();
});

test('a link opened afresh is the state that it was taken from', async () => {
  const page = await opened('#preset=local&window=local-m&halfWidth=2&step=logits&at=weights*2*1');
  expect(await shownIn(page)).toEqual(await expectedOf(await hashOf(page)));
  expect(await page.textContent('#lesson-title')).toBe('Local windows');
  expect(await page.locator('qkv-grid.pinned[data-id=weights] td.lit').count()).toBe(1);
  expect(await page.textContent('#steps .at')).toBe('3 of 6');
  await page.context().close();
});

/** The lessons whose picture has no controls. */
const kStill = ['bottleneck', 'compare', 'sparse'];

test('every choice of every picture: it is in the link, and the picture it opens is the same', async () => {
  const page = await opened();
  const pictureOf = (one) => one.$eval('#scene', ({ innerText }) => innerText);
  for (const { id, scene } of presets) {
    if (!scene) continue;
    await page.evaluate((preset) => (location.hash = `preset=${preset}`), id);
    await page.waitForFunction((title) => document.title.startsWith(title), lessonTexts(id).title);
    // Every control of the picture is used, except the one that loads models. The last state is compared.
    const tried = await page.evaluate(async () => {
      const area = document.querySelector('#scene');
      const settled = () => new Promise((done) => setTimeout(done, 60));
      let count = 0;
      for (const radio of area.querySelectorAll('input[type=radio]:not(:checked)')) {
        if (radio.isConnected) radio.click();
        await settled();
        ++count;
      }
      for (const other of area.querySelectorAll('input[type=checkbox], input[type=range], button:not(.live button)')) {
        if (other.type !== 'range') other.click();
        else {
          other.value = other.max;
          other.dispatchEvent(new Event('input'));
        }
        await settled();
        ++count;
      }
      return count;
    });
    expect([id, tried > 0]).toEqual([id, !kStill.includes(id)]);
    if (await page.isVisible('#problem')) continue; // sizes that do not fit have their own test
    await holds(page);
    expect([id, await pictureOf(other)]).toEqual([id, await pictureOf(page)]);
  }
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test.each([
  'hard&s.draws=99',
  'positions&s.order=9&s.i=-5&s.delta=-99',
  'local&s.t=-7',
  'bank&s.who=99&s.noise=1e300',
  'dense&s.length=99',
])('a picture that a link asks too much of: %s', async (asked) => {
  const page = await opened(`#preset=${asked}`);
  expect(await page.$eval('main', ({ innerText }) => /NaN|undefined|Infinity/.exec(innerText))).toBe(null);
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

/** Every option of a select, one after the other, on one page. */
test.each(['score', 'selection', 'window', 'memory'])('every %s', async (name) => {
  const page = await opened();
  const values = await page.$$eval(`#controls select[name=${name}] option`, (all) => all.map(({ value }) => value));
  expect(values.length).toBeGreaterThan(2);
  for (const value of values) {
    await page.selectOption(`#controls select[name=${name}]`, value);
    await holds(page);
    expect(await page.isVisible('#problem')).toBe(false);
  }
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test('masks, heads, columns, sizes and made up numbers', async () => {
  const page = await opened();
  for (const flag of ['causal', 'by hand', 'bias', 'no key twice']) await page.check(`#controls [name="${flag}"]`);
  await page.click('[aria-label="Padding keys: one more"]');
  await page.click('[data-id=allowed] tbody tr:nth-child(2) td:nth-child(2)');
  await holds(page);
  for (const flag of ['by hand', 'bias', 'no key twice']) await page.uncheck(`#controls [name="${flag}"]`);
  await page.check('[data-name=Heads] [value="2"]', { force: true });
  await page.click('#heads-row button:nth-child(2)');
  await page.click('text=Make up numbers');
  await holds(page);
  await page.check('[data-name="A vector is a"] [value=columns]', { force: true });
  await page.click('[aria-label="Queries: one more"]');
  await page.click('[aria-label="Keys: one more"]');
  await holds(page);
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test('sizes that do not fit are named, and the scores that mend them are offered', async () => {
  const page = await opened('#preset=shapes');
  await page.check('.scene [value=misfit]', { force: true });
  await page.waitForSelector('#problem:visible');
  expect(await page.textContent('#problem')).toMatch(/^This does not fit: .{20}/);
  const offered = await page.$$eval('#mend button', (all) => all.map(({ textContent }) => textContent));
  expect(offered).toEqual(scores.filter(({ sameDims }) => !sameDims).map(({ name }) => name));
  await page.click('#mend >> text=additive');
  await page.waitForSelector('#problem', { state: 'hidden' });
  await holds(page);
  expect(page.complaints).toEqual([]);
  await page.context().close();
});

test.each(['cross', 'encoderSelf', 'decoderSelf'])(
  'a head of the translation model, %s: its vectors make the trace’s weights',
  async (kind) => {
    const page = await opened();
    await page.click('#taking summary');
    await page.selectOption('#model select', kind);
    await page.fill('#model [type=text]', 'I like my house.');
    await page.click('text=Take this head');
    await page.waitForFunction(() => document.querySelector('#model [role=status]').textContent.includes('became'));
    await holds(page);
    const { Translator } = await import('../../web/lib/index.js');
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
    const { [kind]: map } = await translator.trace('I like my house.');
    translator.destroy();
    const [, heads, rows, columns] = map.shape;
    const begin = heads * rows * columns; // layer 2, head 1
    const shown = (await shownIn(page)).weights.flat().map(Number);
    // The vectors were rounded by at most 0.0005, the shown weight by at most 0.005.
    const worst = Math.max(...shown.map((x, at) => Math.abs(x - map.data[begin + at])));
    expect(worst).toBeLessThan(0.01);
    expect(page.complaints).toEqual([]);
    await page.context().close();
  },
);

test('a link is followed also where the address is about to be written', async () => {
  const page = await opened('#preset=kernel');
  // While the page is busy, the timer of the address and the event of the link are both due.
  await page.evaluate(() => {
    document.querySelector('#reset').click(); // after which the address is written with a delay
    setTimeout(() => {
      const end = performance.now() + 400;
      while (performance.now() < end) continue;
    }, 200);
    setTimeout(() => (location.hash = 'preset=local'), 290);
  });
  await page.waitForFunction((title) => document.title.startsWith(title), lessonTexts('local').title, {
    timeout: 5000,
  });
  expect(await hashOf(page)).toBe('#preset=local');
  await page.context().close();
});

test('the page’s own script and style are under 120 KB, gzipped', () => {
  const read = (name) => readFileSync(`${built.site}/${name}`);
  const names = new Set(['attention.js', 'attention.css', 'attention.html']);
  for (const name of names) {
    const imports = String(read(name)).matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g);
    for (const [, file] of imports) names.add(file);
  }
  const size = [...names].reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0);
  console.log(`the page Attention: ${size} bytes gzipped, in ${[...names].join(', ')}`);
  expect(names.size).toBeGreaterThan(4);
  expect(size).toBeLessThan(120_000);
});

test('without its engine the page says so', async () => {
  const page = await browser.open('attention.html', {}, (early) =>
    early.route('**/*.wasm', (route) => route.fulfill({ status: 404 })),
  );
  await page.waitForSelector('#problem:visible');
  expect(await page.textContent('#problem')).toContain('Reload the page');
  await page.context().close();
});
