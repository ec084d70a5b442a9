// Every entry point of the built package in WebKitGTK, the engine of Safari. Numbers are compared with those of the library in Node.

import { dirname } from 'node:path';
import { attention } from '../../web/lib/attention/index.js';
import { Translator } from '../../web/lib/index.js';
import { load } from '../../web/lib/models/index.js';
import { kSure } from '../translations.js';
import { built } from './chromium.js';
import { english } from './english.js';
import { hasWebKit, openWebKit } from './webkit.js';

// web/docs/determinism.md: both sides run the baseline build, whose results are the same bits in every engine.
const kWasm = 'baseline';
const kPair = { sourceLanguage: 'en', targetLanguage: 'fr', model: '/web/models/en-fr/', wasm: kWasm };

(hasWebKit ? describe : describe.skip)('WebKit', () => {
  let webkit;
  let page;

  beforeAll(async () => {
    webkit = await openWebKit(dirname(built.package));
  });
  beforeEach(async () => {
    page = await webkit.open('empty.html');
  });
  afterEach(async () => expect(await page.complaints()).toEqual([]));
  afterAll(() => webkit?.close());

  test.each([true, false])('qkv translates and traces, worker: %s', async (worker) => {
    const use = async (text, options) => {
      const { Translator } = await import('/dist/index.js');
      const translator = await Translator.create(options);
      const translation = await translator.translate(text);
      const { cross } = await translator.trace(text);
      translator.destroy();
      return { translation, shape: cross.shape, weights: Array.from(cross.data) };
    };
    const found = await page.evaluate(use, kSure.text, { ...kPair, worker });
    const reference = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', wasm: kWasm });
    const { cross } = await reference.trace(kSure.text);
    reference.destroy();
    expect(found).toEqual({ translation: kSure.translation, shape: cross.shape, weights: Array.from(cross.data) });
  });

  test('a call is aborted, and the next one works', async () => {
    const [name, next] = await page.evaluate(async (options) => {
      const { Translator } = await import('/dist/index.js');
      const translator = await Translator.create(options);
      const controller = new AbortController();
      const long = translator.translate('We went home and then we ate. '.repeat(50), { signal: controller.signal });
      setTimeout(() => controller.abort(), 50);
      const failed = await long.catch((error) => error.name);
      const after = await translator.translate('Hello.');
      translator.destroy();
      return [failed, after];
    }, kPair);
    expect(name).toBe('AbortError');
    expect(next).not.toBe('');
  });

  test('qkv/attention computes what Node computes', async () => {
    const input = {
      query: [[1, 0.5]],
      key: [
        [1, 0],
        [0, 2],
        [3, 1],
      ],
      value: [[10], [20], [30]],
      score: 'cosine',
    };
    const found = await page.evaluate(
      async (given, wasm) => {
        const { attention, loadAttention } = await import('/dist/attention.js');
        await loadAttention({ wasm });
        const { output, weights } = await attention(given);
        return [Array.from(output.data), Array.from(weights.data)];
      },
      input,
      kWasm,
    );
    const { output, weights } = await attention(input);
    expect(weights.data).toHaveLength(3);
    [output, weights].forEach(({ data }, which) =>
      data.forEach((x, at) => expect(Math.abs(found[which][at] - x)).toBeLessThan(1e-5 * Math.max(1, Math.abs(x)))),
    );
  });

  test('qkv/models guesses what Node guesses', async () => {
    const text = 'The cat sat on the [MASK].';
    const found = await page.evaluate(
      async (sentence, wasm) => {
        const { load } = await import('/dist/models.js');
        const encoder = await load('/web/models/english/masked/', { wasm });
        const [{ guesses }] = await encoder.fillMask(sentence);
        encoder.destroy();
        return guesses;
      },
      text,
      kWasm,
    );
    const encoder = await load(english('masked'), { wasm: kWasm });
    const [{ guesses }] = await encoder.fillMask(text);
    encoder.destroy();
    expect(found).toEqual(guesses);
  });

  test('qkv/train learns, and what it has learnt is traced', async () => {
    const { before, after, shape } = await page.evaluate(async () => {
      const { Trainer } = await import('/dist/train.js');
      const words = ['abc', 'bca', 'cab', 'aab', 'bbc', 'cca', 'ab', 'bc', 'ca', 'a', 'b', 'c'];
      const pairs = words.map((word) => [word, [...word].reverse().join('')]);
      const model = { d_model: 16, encoder_layers: 1, decoder_layers: 1 };
      const heads = {
        encoder_attention_heads: 2,
        decoder_attention_heads: 2,
        encoder_ffn_dim: 32,
        decoder_ffn_dim: 32,
      };
      const config = { preset: 'tiny', steps: 500, model: { ...model, ...heads }, batch: { tokens: 256, joined: [1] } };
      const trainer = await Trainer.create({ pairs, dev: pairs, config });
      const first = await trainer.measure();
      await trainer.run({ steps: 500 });
      const last = await trainer.measure();
      const { cross } = await trainer.trace({ source: 'abc', target: 'cba' });
      trainer.destroy();
      return { before: first, after: last, shape: cross.shape };
    });
    expect(after).toBeLessThan(before / 2);
    expect(shape.slice(0, 2)).toEqual([1, 2]);
  });

  test('qkv/view draws a trace and a matrix of numbers', async () => {
    const drawn = await page.evaluate(async (options) => {
      const { readTrace, sliceOf } = await import('/dist/view/index.js');
      const { Translator } = await import('/dist/index.js');
      for (const sheet of ['tokens', 'view', 'grid']) {
        const link = Object.assign(document.createElement('link'), {
          rel: 'stylesheet',
          href: `/dist/view/${sheet}.css`,
        });
        await new Promise((loaded, failed) => {
          Object.assign(link, { onload: loaded, onerror: failed });
          document.head.append(link);
        });
      }
      const translator = await Translator.create(options);
      const trace = readTrace(JSON.stringify(await translator.trace('I love you.')));
      translator.destroy();
      const [matrix, lines, heads, grid] = ['matrix', 'lines', 'heads', 'grid'].map((name) =>
        document.createElement(`qkv-${name}`),
      );
      document.body.append(matrix, lines, heads, grid);
      matrix.slice = lines.slice = sliceOf(trace, { kind: 'cross', layer: 0, head: 0 });
      heads.show(trace, 'cross', { layer: 0, head: 0 });
      grid.grid = {
        ...{ name: 'scores', axes: ['query', 'key'], kind: 'signed' },
        ...{ rows: ['a'], columns: ['b', 'c'], data: [1, -0.5] },
      };
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const count = (selector) => document.querySelectorAll(selector).length;
      const { length } = trace.target.pieces;
      return {
        cells: count('qkv-matrix .base rect') - length * trace.source.pieces.length,
        lines: count('qkv-lines path') > 0,
        heads: count('qkv-heads canvas') - trace.cross.shape[0] * trace.cross.shape[1],
        numbers: Array.from(document.querySelectorAll('qkv-grid tbody td'), (cell) => cell.textContent),
      };
    }, kPair);
    expect(drawn).toEqual({ cells: 0, lines: true, heads: 0, numbers: ['1.00', '−0.50'] });
  });
});
