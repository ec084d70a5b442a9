// Encoders and generators in Node, from folders as their communities publish them, against PyTorch's numbers.
import { readFileSync, readdirSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { Translator as Plain } from '../../web/lib/index.js';
import { Encoder, Generator, QkvError, Translator, inspect, load } from '../../web/lib/models/index.js';
import { toBertviz } from '../../web/view/bertviz.js';
import { encoderTrace, generatorTrace } from '../../web/view/one-sided.js';
import { sliceOf } from '../../web/view/trace.js';
import { at, readJson, rejection, serveFolder, tinyFolder } from './support.js';
import { zip } from './zip.js';

const folder = (name) => at(`tests/goldens/one-sided/${name}`);
const goldens = (name) => readJson(`tests/goldens/one-sided/${name}/goldens.json`).goldens;

const expectNear = (ours, { data, shape, float32_error: error }) => {
  expect(ours.shape).toEqual(shape);
  const worst = Math.max(...data.map((exact, i) => Math.abs(exact - ours.data[i])));
  expect(worst).toBeLessThanOrEqual(2 * error + 1e-6);
};

const loaded = [];
const keep = async (promise) => {
  const model = await promise;
  loaded.push(model);
  return model;
};
afterEach(() => {
  for (const model of loaded.splice(0)) model.destroy();
});

test.each(['bert-sequence', 'bert-tokens', 'bert-answer', 'distilbert-masked', 'roberta-masked', 'roberta-sequence'])(
  "%s: vectors and weights are PyTorch's",
  async (name) => {
    const encoder = await keep(Encoder.load(folder(name)));
    for (const { text, ids, hidden, attention } of goldens(name)) {
      const encoded = await encoder.encode(text[0], { second: text[1] });
      expect([...encoded.ids]).toEqual(ids);
      expectNear(encoded.vectors, hidden);
      expectNear((await encoder.trace(text[0], { second: text[1] })).encoderSelf, attention);
    }
  },
);

test('masked words are filled, the likeliest first', async () => {
  const encoder = await keep(Encoder.load(folder('bert-masked')));
  expect(encoder.info).toMatchObject({ kind: 'encoder', head: 'masked', mask: '[MASK]', layers: 2, heads: 3 });
  const [, golden] = goldens('bert-masked');
  const masks = await encoder.fillMask(golden.text[0], { count: 3 });
  expect(masks.map(({ index }) => index)).toEqual([1, 3]);
  const size = encoder.info.vocabularySize;
  for (const [i, { guesses }] of masks.entries()) {
    const logits = golden.logits.data.slice(i * size, (i + 1) * size);
    const sum = logits.reduce((total, logit) => total + Math.exp(logit), 0);
    const best = logits.map((logit, id) => ({ id, probability: Math.exp(logit) / sum }));
    best.sort((a, b) => b.probability - a.probability);
    expect(guesses.map(({ id }) => id)).toEqual(best.slice(0, 3).map(({ id }) => id));
    for (const [k, { probability }] of guesses.entries()) expect(probability).toBeCloseTo(best[k].probability, 5);
  }
  expect(await encoder.fillMask('no mask')).toEqual([]);
});

test('texts are classified, and pieces tagged', async () => {
  const classifier = await keep(Encoder.load(folder('bert-sequence')));
  const { text, logits } = goldens('bert-sequence')[0];
  const sum = logits.data.reduce((total, logit) => total + Math.exp(logit), 0);
  const scores = await classifier.classify(text[0]);
  expect(scores.map(({ label }) => label).toSorted()).toEqual(['calm', 'cross', 'glad']);
  for (const { label, score } of scores)
    expect(score).toBeCloseTo(Math.exp(logits.data[classifier.info.labels.indexOf(label)]) / sum, 5);

  const several = await keep(Encoder.load(folder('distilbert-sequence')));
  const golden = goldens('distilbert-sequence')[0];
  for (const { label, score } of await several.classify(golden.text[0]))
    expect(score).toBeCloseTo(1 / (1 + Math.exp(-golden.logits.data[several.info.labels.indexOf(label)])), 5);

  const tagger = await keep(Encoder.load(folder('bert-tokens')));
  const tagged = goldens('bert-tokens')[0];
  const tags = await tagger.tag(tagged.text[0]);
  expect(tags.length).toBe(tagged.ids.length - 2); // without the special pieces around the text
  for (const [i, { label, begin, end, piece }] of tags.entries()) {
    const row = tagged.logits.data.slice(3 * (i + 1), 3 * (i + 2));
    expect(label).toBe(tagger.info.labels[row.indexOf(Math.max(...row))]);
    expect(piece.replace('##', '')).toBe(tagged.text[0].slice(begin, end));
  }
});

test('answers are parts of the context', async () => {
  const encoder = await keep(Encoder.load(folder('bert-answer'))); // in two shards
  const context = 'Yes, it is very cold today.';
  const answers = await encoder.answer('Is it cold?', context, { count: 3 });
  expect(answers.length).toBe(3);
  for (const { text, begin, end } of answers) expect(context.slice(begin, end)).toBe(text);
  expect(answers[0].score).toBeGreaterThanOrEqual(answers[1].score);
});

test.each(['gpt2', 'gpt2-untied'])("%s: continuations and weights are PyTorch's", async (name) => {
  const generator = await keep(Generator.load(folder(name))); // one of them pickled by PyTorch
  for (const { text, ids, greedy, penalised, attention } of goldens(name)) {
    const maxLength = greedy.length - ids.length;
    const plain = await generator.generate(text[0], { maxLength, alternatives: 2 });
    expect([...ids, ...plain.ids]).toEqual(greedy);
    expect(plain.alternatives.map((likeliest) => likeliest.ids[0])).toEqual([...plain.ids]);
    const other = await generator.generate(text[0], {
      maxLength: penalised.length - ids.length,
      repetitionPenalty: 1.3,
    });
    expect([...ids, ...other.ids]).toEqual(penalised);
    expectNear((await generator.trace(text[0])).decoderSelf, attention);
  }
});

test.each(['gpt2', 'gpt2-untied'])('%s: how likely each piece is to be next', async (name) => {
  const generator = await keep(Generator.load(folder(name)));
  const { vocabularySize } = generator.info;
  for (const text of [goldens(name)[0].text[0], '']) {
    const next = await generator.next(text);
    expect(next.ids.length).toBe(vocabularySize);
    expect(new Set(next.ids).size).toBe(vocabularySize);
    expect(next.logProbs.reduce((sum, logProb) => sum + Math.exp(logProb), 0)).toBeCloseTo(1, 4);
    expect([...next.logProbs]).toEqual([...next.logProbs].toSorted((a, b) => b - a));
    const { alternatives } = await generator.trace(text);
    expect([...next.ids.slice(0, 5)]).toEqual([...alternatives.ids.slice(-5)]);
    const greedy = await generator.generate(text, { maxLength: 1, temperature: 0 });
    expect(greedy.ids[0]).toBe(next.ids[0]);
    expect((await generator.next(text, { count: 2 })).pieces).toEqual(next.pieces.slice(0, 2));
  }
  for (const count of [0, 10_001, NaN]) {
    expect((await rejection(generator.next('a', { count }))).message).toMatch(/count/);
  }
});

const collect = async (stream) => {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
};

test('a stream is the text, as it is written', async () => {
  const generator = await keep(Generator.load(folder('gpt2')));
  const options = { maxLength: 12, temperature: 1, seed: 5 };
  const { text } = await generator.generate('The cat', options);
  const parts = await collect(generator.stream('The cat', options));
  expect(parts.join('')).toBe(text);
  expect(parts.length).toBeGreaterThan(1);
  const stop = text.slice(4, 6);
  const stopped = await generator.generate('The cat', { ...options, stop });
  expect(stopped).toMatchObject({ text: text.slice(0, text.indexOf(stop)), end: 'stop' });
  expect((await collect(generator.stream('The cat', { ...options, stop }))).join('')).toBe(stopped.text);
});

test('a cancelled stream, an aborted call and a destroyed model end', async () => {
  const generator = await keep(Generator.load(folder('gpt2')));
  const reader = generator.stream('The', { maxLength: 40 }).getReader();
  await reader.cancel('enough');
  const reason = new Error('no more');
  expect(await rejection(generator.generate('The', { signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect((await generator.generate('The', { maxLength: 2 })).ids.length).toBe(2);
  generator.destroy();
  expect((await rejection(generator.generate('The'))).name).toBe('InvalidStateError');
});

const filesOf = (path, filter = () => true) =>
  Object.fromEntries(
    readdirSync(path)
      .filter((name) => name !== 'goldens.json' && filter(name))
      .map((name) => [name, new Uint8Array(readFileSync(`${path}/${name}`))]),
  );

test('load() finds out what a folder holds', async () => {
  expect(await keep(load(folder('bert-masked')))).toBeInstanceOf(Encoder);
  expect(await keep(load(folder('gpt2')))).toBeInstanceOf(Generator);
  const translator = await keep(load(tinyFolder, { sourceLanguage: 'en', targetLanguage: 'fr' }));
  expect(translator).toBeInstanceOf(Translator);
  expect(translator).toMatchObject({ sourceLanguage: 'en', info: { threads: 1, worker: false } });
  expect(translator.info).not.toHaveProperty('kind');
  expect(await keep(load({ files: filesOf(folder('gpt2-untied')) }))).toBeInstanceOf(Generator);
});

const { translations } = readJson('tests/goldens/models/tiny-f32/translations.json');
const sure = translations.filter(({ greedy }) => Math.min(...greedy.margins) > 1e-3).slice(0, 3);

test('a translation model of shards is read by the engine that can, whichever door it comes to', async () => {
  const files = filesOf(tinyFolder, (name) => /json$|spm$|safetensors$/.test(name));
  const name = 'model-00001-of-00001.safetensors';
  const header = JSON.parse(
    Buffer.from(
      files['model.safetensors'].subarray(8, 8 + files['model.safetensors'][0] + 256 * files['model.safetensors'][1]),
    ),
  );
  const map = Object.fromEntries(
    Object.keys(header)
      .filter((key) => key !== '__metadata__')
      .map((key) => [key, name]),
  );
  files[name] = files['model.safetensors'];
  files['model.safetensors.index.json'] = new TextEncoder().encode(JSON.stringify({ weight_map: map }));
  delete files['model.safetensors'];
  const pair = { sourceLanguage: 'en', targetLanguage: 'fr', beam: 1 };
  const all = [load(tinyFolder, pair), load({ files }, pair), Plain.create({ ...pair, model: { files } })];
  for (const translator of await Promise.all(all.map(keep))) {
    for (const { source, greedy } of sure) {
      expect(await translator.translate(source, { split: false, copy: false })).toBe(greedy.text);
      expect([...(await translator.trace(source, { copy: false })).target.ids]).toEqual(greedy.ids);
    }
  }
});

test('every sentence has the target language that the text begins with', async () => {
  const files = filesOf(tinyFolder, (name) => /json$|spm$|safetensors$/.test(name));
  const vocabulary = readJson('tests/goldens/models/tiny-f32/vocab.json');
  const renamed = Object.entries(vocabulary).map(([piece, id]) => [piece === '<pad>' ? '>>fra<<' : piece, id]);
  files['vocab.json'] = new TextEncoder().encode(JSON.stringify(Object.fromEntries(renamed)));
  for (const translator of [await keep(load({ files }, { beam: 1 })), await keep(load(tinyFolder, { beam: 1 }))]) {
    const text = '>>fra<< I see you. Go on!';
    const parts = await translator.translateParts(text);
    expect(parts.map((part) => part.text).join('')).toBe(text);
    const isKnown = translator === loaded.at(-2);
    const second = isKnown ? '>>fra<< Go on!' : 'Go on!';
    const alone = await translator.translate(second, { split: false });
    expect(parts.at(-1)).toMatchObject({ text: 'Go on!', translation: alone });
    expect((await collect(translator.translateStreaming(text))).at(-1)).toBe(alone);
    const { source } = await translator.trace(second);
    expect(source.pieces[0] === '>>fra<<').toBe(isKnown);
  }
});

test('inspect() says what a folder holds before it is loaded', async () => {
  const names = { 'bert-masked': 'Encoder', gpt2: 'Generator', 'gpt2-untied': 'Generator', 'bert-answer': 'Encoder' };
  for (const [name, kind] of Object.entries(names)) {
    for (const numbers of ['float', 'int8']) {
      const said = await inspect(folder(name), { numbers });
      const { info } = await keep(load(folder(name), { numbers }));
      expect(said.class).toBe(kind);
      for (const field of ['bytes', 'parameters', 'dModel', 'vocabularySize', 'maxLength']) {
        expect([name, field, said[field]]).toEqual([name, field, info[field]]);
      }
    }
  }
  const weights = readFileSync(`${tinyFolder}/model.safetensors`).length;
  expect(await inspect(tinyFolder)).toMatchObject({ class: 'Translator', fileBytes: weights });
  const server = await serveFolder(folder('bert-masked'));
  try {
    expect((await inspect(server.url)).class).toBe('Encoder');
  } finally {
    await server.close();
  }
});

test('inspect() lists the tensors, of shards too, and none of a pickle', async () => {
  const directory = (file) => {
    const bytes = readFileSync(file);
    const { __metadata__: _, ...all } = JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE())).toString());
    return Object.entries(all)
      .toSorted(([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0])
      .map(
        ([
          name,
          {
            shape,
            dtype,
            data_offsets: [begin, end],
          },
        ]) => ({ name, shape, dtype, bytes: end - begin }),
      );
  };
  const masked = folder('bert-masked');
  const whole = directory(`${masked}/model.safetensors`);
  const { modelType, architecture } = await inspect(masked);
  expect([modelType, architecture]).toEqual([
    'bert',
    readJson(`tests/goldens/one-sided/bert-masked/config.json`).architectures[0],
  ]);
  for (const given of [masked, { files: filesOf(masked) }, zip(filesOf(masked), { deflate: true })]) {
    expect((await inspect(given)).tensors).toEqual(whole);
  }
  const shards = readdirSync(folder('bert-answer')).filter((name) => name.endsWith('.safetensors'));
  expect(shards.length).toBe(2);
  expect((await inspect(folder('bert-answer'))).tensors).toEqual(
    shards.flatMap((name) => directory(`${folder('bert-answer')}/${name}`)),
  );
  expect((await inspect(folder('gpt2-untied'))).tensors).toEqual([]);
  const server = await serveFolder(masked);
  try {
    expect((await inspect(server.url)).tensors).toEqual(whole);
  } finally {
    await server.close();
  }
});

test('inspect() refuses a second shard whose directory is none', async () => {
  const files = filesOf(folder('bert-answer'));
  const second = 'model-00002-of-00002.safetensors';
  const size = (bytes) => new Uint8Array(new BigUint64Array([BigInt(bytes)]).buffer);
  const text = (content) => new TextEncoder().encode(content);
  for (const bad of [
    new Uint8Array(3),
    size(0),
    size(2 ** 40),
    new Uint8Array([...size(50), ...text('{')]),
    new Uint8Array([...size(1), ...text('{')]),
    new Uint8Array([...size(2), ...text('[]')]),
    new Uint8Array([...size(4), ...text('null')]),
    new Uint8Array([...size(9), ...text('{"a":{}} ')]),
    new Uint8Array([...size(10), ...text('{"a":null}')]),
  ]) {
    const error = await rejection(inspect({ files: { ...files, [second]: bad } }));
    expect([error.code, error.where]).toEqual(['INVALID_FILE', second]);
  }
});

test('what was traced is drawn by the elements: pieces as their text, weights as they are', async () => {
  const encoder = await keep(Encoder.load(folder('roberta-masked')));
  const text = goldens('roberta-masked')[0].text[0];
  const traced = await encoder.trace(text);
  const trace = encoderTrace(traced, text);
  const slice = sliceOf(trace, { kind: 'encoderSelf', layer: 0, head: 0 });
  const shown = traced.pieces.map((piece, i) =>
    traced.of[i] < 0 ? piece : text.slice(traced.begin[i], traced.end[i]).trim() || slice.keys[i].text,
  );
  expect(slice.keys.map((key) => key.text)).toEqual(shown);
  expect(slice.causal).toBe(false);
  expect([...slice.weights]).toEqual([...traced.encoderSelf.data.slice(0, slice.weights.length)]);
  for (const kind of ['cross', 'decoderSelf', 'alignment'])
    expect(sliceOf(trace, { kind, layer: 0, head: 0 })).toBeNull();

  const generator = await keep(Generator.load(folder('gpt2')));
  const prompt = goldens('gpt2')[0].text[0];
  const written = await generator.trace(prompt);
  const causal = sliceOf(generatorTrace(written, prompt), { kind: 'decoderSelf', layer: 0, head: 1 });
  expect(causal).toMatchObject({ causal: true, keyShift: 0, querySide: 'target', keySide: 'target' });
  expect(causal.keys).toEqual(causal.queries);
  const size = causal.keys.length ** 2;
  expect([...causal.weights]).toEqual([...written.decoderSelf.data.slice(size, 2 * size)]);
  const { target } = generatorTrace(written, prompt);
  expect(target.logProbs).toEqual([undefined, ...written.logProbs]);
  const [{ name, attn, left_text: left, right_text: right }] = toBertviz(generatorTrace(written, prompt));
  expect([name, left, right]).toEqual(['Decoder', written.pieces, written.pieces]);
  expect(attn[0][1].flat()).toEqual([...causal.weights]);
});

test('a zip of a folder loads, stored and deflated, from memory, a file and a server', async () => {
  const [{ text, ids, hidden }] = goldens('bert-tokens');
  const files = filesOf(folder('bert-tokens'));
  const nested = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`model/${name}`, bytes]));
  const extra = { '__MACOSX/model/config.json': new Uint8Array([1]), 'model/old/config.json': new Uint8Array([2]) };
  const archives = [zip(files), zip({ ...extra, ...nested }, { deflate: true }), new Blob([zip(nested)])];
  archives.push([new File([zip(nested, { deflate: true })], 'bert.zip')]);
  for (const archive of archives) {
    const encoder = await keep(load(archive));
    const encoded = await encoder.encode(text[0], { second: text[1] });
    expect([...encoded.ids]).toEqual(ids);
    expectNear(encoded.vectors, hidden);
    expect((await inspect(archive)).parameters).toBe(encoder.info.parameters);
  }
  const pickled = zip(filesOf(folder('gpt2-untied')), { deflate: true });
  const server = await serveFolder('/nowhere', (name, response) => {
    if (name !== 'gpt2.zip') return false;
    response.writeHead(200).end(pickled);
    return true;
  });
  try {
    expect(await keep(load(`${server.url}gpt2.zip`))).toBeInstanceOf(Generator);
  } finally {
    await server.close();
  }
});

test('a zip that lies is an error, soon, and the next one loads', async () => {
  const said = async (archive) => {
    const begin = performance.now();
    const error = await rejection(load(archive));
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(error).toBeInstanceOf(QkvError);
    return `${error.code}: ${error.message}`;
  };
  const files = filesOf(folder('bert-masked'));
  const good = () => zip(files, { deflate: true });
  await keep(load(good())); // one engine for all tests below
  const bomb = { ...files, 'tokenizer.json': new Uint8Array(80 << 20) };
  expect(await said(zip(bomb, { deflate: true }))).toMatch(/LIMIT_EXCEEDED.*tokenizer\.json/);
  const claimsLess = zip(files, { deflate: true, size: (name, size) => (name === 'config.json' ? 10 : size) });
  expect(await said(claimsLess)).toMatch(/INVALID_FILE.*config\.json.*size/);
  const claimsMore = zip(files, { deflate: true, size: (name, size) => size + 1 });
  expect(await said(claimsMore)).toMatch(/INVALID_FILE.*size/);
  expect(await said(zip(files, { size: (name, size) => size + 1 }))).toMatch(/INVALID_FILE.*two sizes/);
  expect(await said(zip(files, { method: 14 }))).toMatch(/UNSUPPORTED.*method 14/);
  expect(await said(zip(files, { flags: 1 }))).toMatch(/UNSUPPORTED.*encrypted/);
  expect(await said(zip(files, { count: 20_000 }))).toMatch(/LIMIT_EXCEEDED/);
  expect(await said(zip(files, { count: 500 }))).toMatch(/INVALID_FILE/);
  expect(await said(zip({}))).toMatch(/INVALID_FILE|MISSING_FILE/);
  expect(await said(zip({ 'a.txt': new Uint8Array([65]) }))).toMatch(/MISSING_FILE.*config\.json/);
  expect(await said(new Uint8Array(1000))).toMatch(/INVALID_FILE/);
  expect(await said(new Uint8Array(0))).toMatch(/INVALID_FILE/);
  const whole = good();
  for (let i = 1; i < 12; ++i) {
    expect(await said(whole.slice(0, Math.floor((whole.length * i) / 12)))).toMatch(/INVALID_FILE/);
    const damaged = good();
    damaged.fill(0xa5, Math.floor((damaged.length * i) / 12), Math.floor((damaged.length * i) / 12) + 40);
    const outcome = await load(damaged).then(
      (model) => (loaded.push(model), 'loaded'),
      (error) => error.constructor.name,
    );
    expect(['loaded', 'QkvError']).toContain(outcome); // not the whole file is read
  }
  expect(await keep(load(good()))).toBeInstanceOf(Encoder);
});

test('a byte of a zip that was flipped is an error that names the file, and the next one loads', async () => {
  const [bert, gpt2] = [filesOf(folder('bert-masked')), filesOf(folder('gpt2-untied'))];
  const names = ['config.json', 'tokenizer.json', 'model.safetensors', 'pytorch_model.bin'];
  for (const [name, deflate] of names.flatMap((one) => [false, true].map((packs) => [one, packs]))) {
    const files = name in bert ? bert : gpt2;
    const whole = zip(files, { deflate });
    const begin = Buffer.from(whole).indexOf(name) + name.length;
    const length = deflate ? deflateRawSync(files[name]).length : files[name].length;
    for (const share of [0.5, 0.99]) {
      const flipped = whole.slice();
      flipped[begin + Math.floor(share * length)] ^= 0x10;
      const { code, message } = await rejection(load(flipped));
      expect([name, deflate, code, message]).toEqual([name, deflate, 'INVALID_FILE', expect.stringContaining(name)]);
    }
    expect((await keep(load(whole))).info.layers).toBeGreaterThan(0);
  }
});

test('a file of a zip has the checksum that the zip says', async () => {
  const files = filesOf(folder('bert-masked'));
  for (const deflate of [false, true]) {
    for (const name of Object.keys(files).filter((file) => /^(config|model)\./.test(file))) {
      const other = (file, sum) => (file === name ? sum ^ 1 : sum);
      const { code, message, where } = await rejection(load(zip(files, { deflate, crc: other })));
      expect([code, where]).toEqual(['INVALID_FILE', name]);
      expect(message).toMatch(/checksum/);
    }
  }
});

test('a server is asked for no file that others make needless, and for a second vocabulary where there is one', async () => {
  const translators = ['generation_config.json', 'vocab.json', 'source.spm', 'target.spm', 'shortlist.bin'];
  const expected = [
    [folder('bert-masked'), ['tokenizer.json']],
    [folder('gpt2'), ['tokenizer.json', 'generation_config.json']],
    [tinyFolder, translators],
    [at('tests/goldens/models/tiny-pre-norm'), [...translators, 'target_vocab.json']],
  ];
  for (const [path, names] of expected) {
    const server = await serveFolder(path);
    try {
      await keep(load(server.url));
      const asked = new Set(server.requests);
      expect([...asked].toSorted()).toEqual(['config.json', 'model.safetensors', ...names].toSorted());
    } finally {
      await server.close();
    }
  }
});

test('folders load over http, in shards and pickled, and as int8', async () => {
  for (const name of ['bert-answer', 'gpt2-untied']) {
    const server = await serveFolder(folder(name));
    try {
      const reports = [];
      const monitor = (m) => m.addEventListener('downloadprogress', ({ loaded: part }) => reports.push(part));
      const model = await keep(load(server.url, { monitor }));
      expect(model.info.layers).toBe(1);
      expect(reports.at(-1)).toBe(1);
    } finally {
      await server.close();
    }
  }
  const floats = await keep(Encoder.load(folder('bert-masked')));
  const int8 = await keep(Encoder.load(folder('bert-masked'), { numbers: 'int8' }));
  expect(int8.info.parameters).toBe(floats.info.parameters);
  const [a, b] = await Promise.all([floats, int8].map((model) => model.encode('The cat sleeps.')));
  const distance = Math.hypot(...a.vectors.data.map((x, i) => x - b.vectors.data[i]));
  expect(distance).toBeGreaterThan(0);
  expect(distance).toBeLessThan(0.05 * Math.hypot(...a.vectors.data));
});

test('what cannot be done is said', async () => {
  const code = async (promise) => {
    const error = await rejection(promise);
    expect(error).toBeInstanceOf(QkvError);
    return `${error.code}: ${error.message}`;
  };
  expect(await code(Encoder.load(folder('gpt2')))).toMatch(/INVALID_ARGUMENT.*Generator\.load/);
  expect(await code(Generator.load(tinyFolder))).toMatch(/INVALID_ARGUMENT.*load\(\)/);
  expect(await code(load(folder('gpt2'), { numbers: 'int4' }))).toMatch(/INVALID_ARGUMENT.*int8/);
  const encoder = await keep(Encoder.load(folder('bert-tokens')));
  expect(await code(encoder.classify('a'))).toMatch(/INVALID_ARGUMENT.*"tokens"/);
  const files = (config) => ({ files: { 'config.json': new TextEncoder().encode(JSON.stringify(config)) } });
  expect(await code(load(files({ model_type: 'llama' })))).toMatch(/UNSUPPORTED.*llama/);
  expect(await code(load({ files: {} }))).toMatch(/MISSING_FILE.*config\.json/);
  const config = readJson('tests/goldens/one-sided/bert-masked/config.json');
  expect(await code(load(files({ ...config, position_embedding_type: 'relative_key' })))).toMatch(
    /MISSING_FILE|UNSUPPORTED/,
  );
  expect(await code(load(files(config)))).toMatch(/MISSING_FILE/);
  const generator = await keep(Generator.load(folder('gpt2')));
  expect(await code(generator.generate('a', { temperature: -1 }))).toMatch(/INVALID_ARGUMENT.*temperature/);
  expect(await code(generator.generate(5))).toMatch(/INVALID_ARGUMENT.*prompt/);
});

test('a stream writes no further than its reader reads', async () => {
  const generator = await keep(Generator.load(folder('gpt2')));
  const options = { maxLength: 30, temperature: 0 };
  const { text } = await generator.generate('The cat', options);
  const { enqueue } = ReadableStreamDefaultController.prototype;
  let written = 0;
  ReadableStreamDefaultController.prototype.enqueue = function (part) {
    if (typeof part === 'string') written++;
    return enqueue.call(this, part);
  };
  try {
    const reader = generator.stream('The cat', options).getReader();
    const parts = [(await reader.read()).value];
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(written).toBe(1);
    const two = await Promise.all([reader.read(), reader.read()]);
    parts.push(...two.map(({ value }) => value));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(written).toBe(3);
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
    expect(parts.join('')).toBe(text);
  } finally {
    ReadableStreamDefaultController.prototype.enqueue = enqueue;
  }
});

test('the most pieces are called maxLength everywhere, and whole numbers are asked for', async () => {
  const encoder = await keep(Encoder.load(folder('bert-answer')));
  const [answer] = await encoder.answer('Who?', 'The old man and the sea', { maxLength: 1 });
  expect(answer.text.split(' ')).toHaveLength(1);
  expect(await rejection(encoder.answer('Who?', 'The man', { longest: 1 }))).toMatchObject({ where: 'longest' });
  const generator = await keep(Generator.load(folder('gpt2')));
  for (const name of ['maxLength', 'topK', 'seed', 'alternatives']) {
    expect(await rejection(generator.generate('The cat', { [name]: 1.5 }))).toMatchObject({ where: name });
  }
  await generator[Symbol.asyncDispose]();
  expect(await rejection(generator.generate('The cat'))).toMatchObject({ name: 'InvalidStateError' });
});

test('a space that was put before a word is drawn as a space, not as the letter whose span it has', () => {
  const traced = { pieces: ['▁', 'é', '▁a'], ids: [1, 2, 3], begin: [0, 0, 1], end: [1, 1, 3], of: [0, 0, 0] };
  const { source } = encoderTrace(
    { ...traced, encoderSelf: { shape: [1, 1, 3, 3], data: new Float32Array(9) } },
    'é a',
  );
  expect(source.labels.map(({ text }) => text)).toEqual(['␣', 'é', 'a']);
});

test.each(['bert-masked', 'bert-sequence', 'bert-tokens', 'bert-answer'])(
  '%s without special pieces says of an empty text what is said of nothing',
  async (name) => {
    const files = filesOf(folder(name));
    const tokenizer = JSON.parse(Buffer.from(files['tokenizer.json']).toString());
    files['tokenizer.json'] = Buffer.from(JSON.stringify({ ...tokenizer, post_processor: null }));
    const encoder = await keep(load(zip(files)));
    const { dModel, layers, heads } = encoder.info;
    const { pieces, vectors, mean } = await encoder.encode('');
    expect([pieces, vectors.shape, vectors.data.length, [...mean]]).toEqual([
      [],
      [0, dModel],
      0,
      Array(dModel).fill(0),
    ]);
    expect((await encoder.trace('')).encoderSelf.shape).toEqual([layers, heads, 0, 0]);
    if (name === 'bert-masked') expect(await encoder.fillMask('')).toEqual([]);
    if (name === 'bert-tokens') expect(await encoder.tag('')).toEqual([]);
    if (name === 'bert-answer') expect(await encoder.answer('', '')).toEqual([]);
    if (name === 'bert-sequence') {
      expect(await rejection(encoder.classify(''))).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'text' });
    }
    expect((await encoder.encode('a')).vectors.shape[0]).toBeGreaterThan(0);
  },
);
