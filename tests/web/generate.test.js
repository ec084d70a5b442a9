// The Generate page: a text continues piece by piece, with the next candidates and what each head attended to.

import { samplingProbabilities } from '../../web/demo/workbench/sampling.js';
import { kDefaultSampling } from '../../web/demo/workbench/sampling-controls.js';
import { axeFinds, forAxe } from './axe.js';
import { nextFrame } from './chromium.js';
import { idle, share, withEnglish, expectSteady, recordShifts } from './english.js';
import { controls, stops } from './tabs.js';

const kFirst = 'When I got home,';
const kEngine = 'generate.html?engine=baseline';
const kQuick = { reducedMotion: 'reduce' }; // writes as fast as it can

const shared = withEnglish(['everyday']);

const settled = async (page) => {
  await idle(page, '#prompt');
  await page.waitForFunction(
    () =>
      document.querySelector('qkv-matrix').slice && document.querySelector('.writing .write').textContent !== 'Stop',
  );
  await nextFrame(page);
};
const open = async (path = kEngine, options = {}, ...rest) => {
  const page = await shared.browser.open(path, { ...kQuick, ...options }, ...rest);
  await settled(page);
  return page;
};
const text = (page) => page.inputValue('#prompt');

/** The library's continuation with the page's initial settings. */
async function written(from, { seed = kDefaultSampling.seed, maxLength = 24, ...other } = {}) {
  const how = { temperature: 0.7, topK: 0, topP: 1, repetitionPenalty: 1, ...other };
  const made = await shared.models.everyday.generate(from, { ...how, maxLength, seed: seed + 10_000 * from.length });
  return from + made.text;
}

/** The bars after a text, as the page writes them. */
async function barsAfter(from, sampling = {}) {
  const { pieces, logProbs } = await shared.models.everyday.next(from, { count: 10_000 });
  const probabilities = samplingProbabilities(logProbs, { temperature: 0.7, topK: 0, topP: 1, ...sampling });
  return pieces.slice(0, 10).map((piece, i) => {
    const goesOn = /^[\p{L}\p{N}]/u.test(piece) && /[\p{L}\p{N}’']$/u.test(from);
    const name = piece === '<|endoftext|>' ? 'end of text' : piece.replace('▁', '') || '␣';
    return [goesOn ? `·${name}` : name, probabilities[i] ? share(probabilities[i]) : 'cut'];
  });
}
const shows = (page, bars) =>
  page.waitForFunction((wanted) => {
    const items = [...document.querySelectorAll('.answers .bars li')];
    return (
      JSON.stringify(
        items.map((item) => [...item.querySelectorAll('.name, .number')].map((one) => one.textContent)),
      ) === wanted
    );
  }, JSON.stringify(bars));

test('opens with a text that goes on, what may come next and one causal matrix, all of them the engine’s', async () => {
  const page = await open();
  const whole = await written(kFirst);
  expect(await text(page)).toBe(whole);
  // The page's seed gives a sentence of real words. After another training a new seed must be chosen.
  expect(whole).toBe(`${kFirst} I couldn't figure it out.`);
  expect(await page.textContent('.aloud')).toBe(whole.slice(kFirst.length));
  await shows(page, await barsAfter(whole));
  const { decoderSelf, pieces } = await shared.models.everyday.trace(whole);
  const [layers, heads, rows] = decoderSelf.shape;
  expect(await page.locator('qkv-heads button').count()).toBe(layers * heads);
  expect(await page.locator('qkv-pieces button').count()).toBe(pieces.length);
  const shown = await page.$eval('qkv-matrix', ({ slice: { layer, head, weights } }) => [layer, head, [...weights]]);
  const at = (shown[0] * heads + shown[1]) * rows * rows;
  expect(shown[2]).toEqual([...decoderSelf.data.slice(at, at + rows * rows)]);
  expect(await page.locator('qkv-matrix .base rect').count()).toBe((rows * (rows + 1)) / 2);
  expect(page.complaints).toEqual([]);
});

test('the sampling controls change the bars at once, to the distribution that the engine draws from', async () => {
  const page = await open(`${kEngine}#text=I%20would%20like`);
  await shows(page, await barsAfter('I would like'));
  for (const sampling of [
    { temperature: 1.5 },
    { temperature: 1.5, topK: 3 },
    { temperature: 0 },
    { temperature: 2, topP: 0.5 },
  ]) {
    const bars = await page.evaluate((wanted) => {
      const indices = { topK: [0, 1, 2, 3, 5, 10] };
      const turn = (name, value) => {
        const knob = document.querySelector(`input[name="${name}"]`);
        knob.value = String(value);
        knob.dispatchEvent(new Event('input'));
      };
      turn('temperature', wanted.temperature);
      turn('top-k', indices.topK.indexOf(wanted.topK ?? 0));
      turn('top-p', wanted.topP ?? 1);
      // In the same task, so that nothing can have been requested from the engine.
      return [...document.querySelectorAll('.answers .bars li')].map((item) =>
        [...item.querySelectorAll('.name, .number')].map((one) => one.textContent),
      );
    }, sampling);
    expect(bars).toEqual(await barsAfter('I would like', sampling));
  }
  expect(page.complaints).toEqual([]);
});

test('what is drawn is what the bars say', async () => {
  const sampling = { temperature: 1.3, topK: 6, topP: 0.9 };
  const model = shared.models.everyday;
  const { ids, logProbs } = await model.next('Tom asked Mary', { count: 10_000 });
  expect(logProbs.reduce((sum, logProb) => sum + Math.exp(logProb), 0)).toBeCloseTo(1, 3);
  const probabilities = samplingProbabilities(logProbs, sampling);
  expect(probabilities.reduce((sum, probability) => sum + probability, 0)).toBeCloseTo(1, 9);
  const draws = 1000;
  const counts = new Map();
  for (let seed = 0; seed < draws; ++seed) {
    const { ids: drawn } = await model.generate('Tom asked Mary', {
      ...sampling,
      repetitionPenalty: 1,
      maxLength: 1,
      seed,
    });
    counts.set(drawn[0], (counts.get(drawn[0]) ?? 0) + 1);
  }
  let kept = 0;
  probabilities.forEach((probability, i) => {
    const count = counts.get(ids[i]) ?? 0;
    kept += count;
    const sigma = Math.sqrt(draws * probability * (1 - probability));
    expect(Math.abs(count - draws * probability)).toBeLessThanOrEqual(5 * sigma);
  });
  expect(kept).toBe(draws);
});

test('the place that is pointed at has its own next pieces; one that is picked is written there', async () => {
  const page = await open(`${kEngine}#text=Tom%20asked%20Mary%20to%20go%20home.`);
  await page.hover('qkv-pieces button >> nth=1');
  expect(await page.textContent('.where')).toBe('after “Tom asked”');
  const after = await barsAfter('Tom asked');
  await shows(page, after);
  await page.mouse.move(5, 5);
  await shows(page, await barsAfter('Tom asked Mary to go home.'));
  await page.click('qkv-pieces button >> nth=1');
  await shows(page, after);
  const which = after.findIndex(([name]) => /^[a-zA-Z]+$/.test(name));
  await page.click(`.answers .bars button >> nth=${which}`);
  await settled(page);
  expect(await text(page)).toBe(`Tom asked ${after[which][0]}`);
  await page.click('.undo');
  await settled(page);
  expect(await text(page)).toBe('Tom asked Mary to go home.');
  expect(await page.isDisabled('.undo')).toBe(true);
  expect(page.complaints).toEqual([]);
});

test('one piece, all that comes, another seed, and back', async () => {
  const next = kDefaultSampling.seed + 1;
  const page = await open(`${kEngine}#text=I%20would%20like`);
  await page.click('.step');
  await settled(page);
  expect(await text(page)).toBe(await written('I would like', { maxLength: 1 }));
  await page.click('.undo');
  await settled(page);
  await page.click('.write');
  await settled(page);
  expect(await text(page)).toBe(await written('I would like'));
  await page.click('.other');
  await settled(page);
  expect(await page.inputValue('input[name=seed]')).toBe(String(next));
  expect(await text(page)).toBe(await written('I would like', { seed: next }));
  await page.waitForFunction((seed) => location.hash.includes(`seed=${seed}`), next);
  const linked = await open(`generate.html${new URL(page.url()).hash}`);
  expect(await text(linked)).toBe(await text(page));
  expect(await linked.inputValue('input[name=seed]')).toBe(String(next));
  await page.goBack();
  await page.waitForFunction(
    (wanted) => document.querySelector('#prompt').value === wanted,
    await written('I would like'),
  );
  expect(page.complaints).toEqual([]);
});

test('it is written a piece at a time, and stops when it is told to', async () => {
  const page = await open(`${kEngine}#text=Tom`, { reducedMotion: 'no-preference' });
  await page.evaluate(() => {
    globalThis.seen = new Set();
    const look = () => {
      globalThis.seen.add(document.querySelector('#prompt').value);
      requestAnimationFrame(look);
    };
    look();
  });
  await page.locator('input[name=temperature]').fill('2');
  await page.click('.write');
  await page.waitForFunction(() => globalThis.seen.size > 3);
  await page.click('.write');
  await settled(page);
  const stopped = await text(page);
  const seen = await page.evaluate(() => [...globalThis.seen]);
  for (const part of seen) expect(stopped.startsWith(part)).toBe(true);
  await page.waitForTimeout(300);
  expect(await text(page)).toBe(stopped);
  await page.focus('#prompt');
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' and');
  await settled(page);
  expect(await text(page)).toBe(`${stopped} and`);
  expect(page.complaints).toEqual([]);
});

test('whatever is typed is continued, or leaves the page as it was', async () => {
  const page = await open();
  for (const odd of ['🍕 \ud800', 'the cat '.repeat(600), '   ', 'ends with a space ', 'x']) {
    await page.fill('#prompt', odd);
    await idle(page, '#prompt');
    await page.click('.step');
    await idle(page, '#prompt');
    expect(await page.getAttribute('#status', 'class')).not.toContain('failed');
    expect(await text(page)).not.toMatch(/\S {2}\S/);
  }
  await page.fill('#prompt', '');
  await page.waitForFunction(() => !document.querySelector('qkv-matrix').slice);
  await shows(page, await barsAfter(''));
  await page.click('.write');
  await settled(page);
  expect(await text(page)).toMatch(/^\S/);
  expect(page.complaints).toEqual([]);
});

test('an address that makes no sense is the usual one', async () => {
  const page = await open(`${kEngine}#text=Tom&temperature=hot&top-k=7&top-p=9&seed=-1&layer=99&head=0`);
  expect(await page.$$eval('.settings output', (all) => all.map((one) => one.textContent))).toEqual([
    '0.70',
    'all',
    'all',
  ]);
  expect(await page.inputValue('input[name=seed]')).toBe(String(kDefaultSampling.seed));
});

test('Tab stops at every control', async () => {
  const page = await open();
  const reached = await stops(page);
  expect((await controls(page)).filter((control) => !reached.has(control))).toEqual([]);
});

test.each(['light', 'dark'])(
  'axe finds nothing to mend, %s',
  async (colorScheme) => {
    const page = await open('generate.html', { colorScheme, ...forAxe });
    expect(await axeFinds(page)).toEqual([]);
    await page.locator('input[name=top-k]').fill('3');
    await page.click('qkv-pieces button >> nth=2');
    await page.check('#view [value=lines]', { force: true });
    expect(await axeFinds(page)).toEqual([]);
  },
  120_000,
);

test.each([1280, 760, 375, 320])('never scrolls sideways, and nothing jumps: %i pixels', async (width) => {
  const page = await open('generate.html', { viewport: { width, height: 900 } }, recordShifts);
  await expectSteady(page, width, settled, [
    () => page.hover('qkv-pieces button >> nth=2'),
    () => page.click('.other'),
    () => page.locator('input[name=temperature]').fill('0'),
    () => page.fill('#prompt', `${'Internationalisation and then we went home '.repeat(8)}.`),
    () => page.click('.write'),
  ]);
});
