import { readFileSync } from 'node:fs';
import { Translator } from '../../web/lib/index.js';
import { at, create, floatFolder, readJson, rejection } from './support.js';

const kText = 'I would like a cup of coffee.';

let translator;
beforeAll(async () => (translator = await create()));
afterAll(() => translator.destroy());

/** The largest distance of a row's sum from 1. */
function rowError({ shape, data }) {
  const columns = shape.at(-1);
  let worst = 0;
  for (let begin = 0; begin < data.length; begin += columns) {
    const sum = data.subarray(begin, begin + columns).reduce((sum, weight) => sum + weight, 0);
    worst = Math.max(worst, Math.abs(sum - 1));
  }
  return worst;
}

function expectWhole(trace) {
  const { source, target } = trace;
  const [S, T] = [source.pieces.length, target.pieces.length];
  const { encoderLayers, decoderLayers, encoderHeads, decoderHeads } = translator.info;
  expect(trace.encoderSelf.shape).toEqual([encoderLayers, encoderHeads, S, S]);
  expect(trace.decoderSelf.shape).toEqual([decoderLayers, decoderHeads, T, T]);
  expect(trace.cross.shape).toEqual([decoderLayers, decoderHeads, T, S]);
  expect(trace.alignment.shape).toEqual([T, S]);
  for (const map of [trace.encoderSelf, trace.decoderSelf, trace.cross, trace.alignment]) {
    expect(map.data).toHaveLength(map.shape.reduce((a, b) => a * b, 1));
    expect(rowError(map)).toBeLessThan(1e-5);
  }
  for (const side of [source, target]) {
    expect(side.ids).toHaveLength(side.pieces.length);
    expect(side.pieces.at(-1)).toBe('</s>');
    expect([side.begin.at(-1), side.end.at(-1)]).toEqual([side.text.length, side.text.length]);
  }
  expect(target.logProbs).toHaveLength(T);
  expect(trace.targetInput).toEqual(['<pad>', ...target.pieces.slice(0, -1)]);
}

describe('the trace of a text', () => {
  test('is of its translation, and whole', async () => {
    const trace = await translator.trace(kText);
    expect(trace).toMatchObject({ format: 'qkv-trace/1', spans: 'utf-16', sourceTruncated: false });
    expect(trace.model).toMatchObject({ name: 'en-fr', decoderLayers: 2 });
    expect(trace.source.text).toBe(kText);
    expect(trace.target.text).toBe(await translator.translate(kText));
    expectWhole(trace);
  });

  test('has the span of each piece, in UTF-16 units', async () => {
    const { source } = await translator.trace('I like \u{1F600}\u{1F600} caf\u00e9s.');
    const spans = source.pieces.map((_, i) => source.text.slice(source.begin[i], source.end[i]));
    expect(spans.join('')).toBe(source.text);
    expect(spans.every((span) => span.isWellFormed())).toBe(true);
    expect(spans[source.pieces.indexOf('\u2581like')]).toBe(' like');
  });

  test('comes with the queries, keys and values of every head on request: softmax(qk/√d) of them are the weights', async () => {
    const trace = await translator.trace(kText, { vectors: true });
    const plain = await translator.trace(kText);
    expect(plain.cross.vectors).toBeUndefined();
    for (const name of ['encoderSelf', 'decoderSelf', 'cross']) {
      const { shape, data, vectors } = trace[name];
      const [layers, heads, T, S] = shape;
      const { dim, queries, keys, values } = vectors;
      expect([queries, keys, values].map(({ length }) => length / (layers * heads * dim))).toEqual([T, S, S]);
      expect(data).toEqual(plain[name].data);
      let worst = 0;
      for (let row = 0; row < layers * heads * T; ++row) {
        const head = Math.floor(row / T);
        const seen = name === 'decoderSelf' ? (row % T) + 1 : S;
        const scores = Array.from({ length: seen }, (_, s) => {
          const key = keys.subarray((head * S + s) * dim, (head * S + s + 1) * dim);
          return key.reduce((sum, k, i) => sum + k * queries[row * dim + i], 0) / Math.sqrt(dim);
        });
        const total = scores.reduce((sum, x) => sum + Math.exp(x), 0);
        scores.forEach((x, s) => (worst = Math.max(worst, Math.abs(Math.exp(x) / total - data[row * S + s]))));
      }
      expect(worst).toBeLessThan(1e-5);
      expect(values.some((x) => x !== 0)).toBe(true);
    }
    expect(JSON.parse(JSON.stringify(trace)).cross.vectors.dim).toBe(trace.cross.vectors.dim);
  });

  test('masks what the decoder had not read yet', async () => {
    const { decoderSelf } = await translator.trace(kText);
    const [, , T] = decoderSelf.shape;
    const later = decoderSelf.data.filter((_, i) => i % T > Math.floor(i / T) % T);
    expect(later.length).toBeGreaterThan(0);
    expect(later.every((weight) => weight === 0)).toBe(true);
  });

  test('has the sum of its log-probabilities as its score, as in score()', async () => {
    const trace = await translator.trace(kText);
    const { score, pieces, logProbs } = await translator.score(kText, trace.target.text);
    expect(trace.score).toBeCloseTo(
      trace.target.logProbs.reduce((a, b) => a + b),
      4,
    );
    expect(pieces).toEqual(trace.target.pieces);
    expect(logProbs).toEqual(trace.target.logProbs);
    expect(score).toBe(trace.score);
  });

  test('has the mean of the named heads as its alignment', async () => {
    const { cross, alignment } = await translator.trace(kText);
    expect(alignment.heads).toEqual(translator.info.alignmentHeads);
    expect(alignment).toMatchObject({ ranked: true, note: expect.stringContaining('alignment_heads') });
    const [, H, T, S] = cross.shape;
    const mean = (t, s) =>
      alignment.heads.reduce((sum, [l, h]) => sum + cross.data[((l * H + h) * T + t) * S + s], 0) /
      alignment.heads.length;
    for (const [t, s] of [
      [0, 0],
      [1, 2],
      [T - 1, S - 1],
    ])
      expect(alignment.data[t * S + s]).toBeCloseTo(mean(t, s), 5);
  });

  test('has the alternatives at each piece, best first', async () => {
    const { target, alternatives } = await translator.trace(kText);
    const { count, pieces, ids, logProbs } = alternatives;
    expect(count).toBeGreaterThan(1);
    for (const list of [pieces, ids, logProbs]) expect(list).toHaveLength(count * target.pieces.length);
    for (let t = 0; t < target.pieces.length; ++t) {
      const place = logProbs.subarray(t * count, (t + 1) * count);
      expect([...place].every((logProb, i) => i === 0 || logProb <= place[i - 1])).toBe(true);
      const own = ids.subarray(t * count, (t + 1) * count).indexOf(target.ids[t]);
      if (own >= 0) expect(place[own]).toBeCloseTo(target.logProbs[t], 5);
    }
    expect(pieces).toContain(target.pieces[0]);
  });

  test('of several sentences covers all, or the requested one', async () => {
    const text = 'How are you?  I am tired.';
    expect((await translator.trace(text)).source.text).toBe(text);
    const second = await translator.trace(text, { sentence: 1 });
    expect(second.source.text).toBe('I am tired.');
    expect(second.target.text).toBe(await translator.translate('I am tired.'));
    expect(await rejection(translator.trace(text, { sentence: 2 }))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('of an empty text has only </s> on the source side', async () => {
    const trace = await translator.trace('');
    expect(trace.source.pieces).toEqual(['</s>']);
    expectWhole(trace);
  });

  test("of a text past the model's positions is cut, and says so", async () => {
    const trace = await translator.trace({ source: 'word '.repeat(1000), target: 'mot' });
    expect(trace.sourceTruncated).toBe(true);
    expect(trace.source.pieces.length).toBeLessThanOrEqual(512);
  });
});

describe('the trace of a pair', () => {
  test('has the given target', async () => {
    const trace = await translator.trace({ source: kText, target: 'Il pleut.' });
    expect(trace.target.text).toBe('Il pleut.');
    expectWhole(trace);
    const own = await translator.trace(kText);
    expect(trace.score).toBeLessThan(own.score);
    expect(trace.encoderSelf.data).toEqual(own.encoderSelf.data);
  });

  test('has the same bits up to the first changed piece', async () => {
    const [a, b] = await Promise.all(
      ['Je voudrais un chat.', 'Je voudrais un chien noir.'].map((target) =>
        translator.trace({ source: kText, target }),
      ),
    );
    const same = a.target.pieces.findIndex((piece, i) => piece !== b.target.pieces[i]);
    expect(same).toBeGreaterThan(1);
    expect(a.target.logProbs.slice(0, same)).toEqual(b.target.logProbs.slice(0, same));
    const S = a.cross.shape[3];
    expect(a.cross.data.slice(0, same * S)).toEqual(b.cross.data.slice(0, same * S));
  });

  test('needs two strings', async () => {
    for (const pair of [null, {}, { source: 'a' }, { source: 1, target: 'b' }, ['a', 'b']]) {
      expect(await rejection(translator.trace(pair))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    expect(await rejection(translator.score('a'))).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'target' });
  });
});

test('as JSON its arrays are arrays, and its numbers the same', async () => {
  const trace = await translator.trace(kText);
  const json = JSON.parse(JSON.stringify(trace));
  expect(json.cross.shape).toEqual(trace.cross.shape);
  expect(Float32Array.from(json.cross.data)).toEqual(trace.cross.data);
  expect(Float32Array.from(json.target.logProbs)).toEqual(trace.target.logProbs);
  expect(json).toMatchObject({ format: 'qkv-trace/1', source: { pieces: trace.source.pieces } });
  expect(Object.keys(trace)).not.toContain('toJSON');
});

describe('PyTorch in float64', () => {
  const { model, goldens } = readJson('tests/goldens/en-fr/transformer.json');
  const doubles = new Float64Array(new Uint8Array(readFileSync(at('tests/goldens/en-fr/transformer.bin'))).buffer);
  const kinds = { encoder_self: 'encoderSelf', decoder_self: 'decoderSelf', cross: 'cross' };
  const given = goldens.filter(({ target }) => target !== null);
  let floats;
  beforeAll(async () => (floats = await create({ model: floatFolder })));
  afterAll(() => floats.destroy());

  /** The largest difference between a trace's map and what a golden keeps of it. */
  function largestError({ shape, data }, golden) {
    expect(shape).toEqual(golden.shape);
    const width = shape.at(-1);
    const rows = golden.rows ?? Array.from({ length: data.length / width }, (_, row) => row);
    const columns = golden.columns ?? Array.from({ length: width }, (_, column) => column);
    let at = golden.offset;
    let worst = 0;
    for (const row of rows) {
      for (const column of columns) worst = Math.max(worst, Math.abs(data[row * width + column] - doubles[at++]));
    }
    return worst;
  }

  test('has goldens with a given target, of the model of floats', () => {
    expect(at(model)).toBe(floatFolder);
    expect(given.length).toBeGreaterThan(5);
  });

  test.each(given.map((golden) => [golden.name, golden]))('agrees: %s', async (_, golden) => {
    const trace = await floats.trace({ source: golden.source, target: golden.target });
    expect([...trace.source.ids]).toEqual(golden.source_ids);
    expect([...trace.target.ids]).toEqual(golden.target_ids);
    for (const [kind, name] of Object.entries(kinds)) {
      expect(largestError(trace[name], golden[kind])).toBeLessThanOrEqual(2 * golden[kind].float32_error + 1e-6);
    }
  });
});

test('a model of another folder is traced by its own shape', async () => {
  const folder = 'tests/goldens/models/tiny-f32';
  const tiny = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'xx', model: at(folder) });
  const config = readJson(`${folder}/config.json`);
  const { cross, alignment } = await tiny.trace({ source: 'a b', target: 'c' });
  expect(cross.shape.slice(0, 2)).toEqual([config.decoder_layers, config.decoder_attention_heads]);
  const ranked = readJson(`${folder}/generation_config.json`).alignment_heads !== undefined;
  expect(alignment.ranked).toBe(ranked);
  expect(tiny.info.name).toBe('tiny-f32');
  tiny.destroy();
});
