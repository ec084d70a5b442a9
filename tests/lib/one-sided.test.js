// Encoders and generators in Node, from folders as their communities publish them, against PyTorch's numbers.
import { Encoder, Generator, QkvError, load } from '../../web/lib/models/index.js';
import { toBertviz } from '../../web/view/bertviz.js';
import { encoderTrace, generatorTrace } from '../../web/view/one-sided.js';
import { sliceOf } from '../../web/view/trace.js';
import { collect, expectNear, filesOf, folder, goldens, withModels } from './one-sided-support.js';
import { at, readJson, rejection, tinyFolder } from './support.js';
import { zip } from './zip.js';

const keep = withModels();

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

test('a stream gives the text piece by piece', async () => {
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

describe('drafts from repetitions', () => {
  const prompts = ['The cat', 'The cat sat on the mat. The cat sat on the mat. The cat', 'one two one two one'];
  const choices = [{ temperature: 0 }, { temperature: 0.3, seed: 4 }, { temperature: 0, repetitionPenalty: 1.1 }];

  test.each([folder('gpt2'), at('web/models/english/everyday')])(
    '%s: change nothing that can be seen',
    async (path) => {
      const generator = await keep(Generator.load(path));
      for (const prompt of prompts) {
        for (const choice of choices) {
          const options = { maxLength: 60, alternatives: 2, ...choice };
          const without = { ...options, promptLookup: false };
          const plain = await generator.generate(prompt, without);
          expect(await generator.generate(prompt, options)).toEqual(plain);
          const parts = await collect(generator.stream(prompt, without));
          expect(parts.length).toBeGreaterThan(plain.ids.length / 2);
          expect(await collect(generator.stream(prompt, options))).toEqual(parts);
          const stop = plain.text.slice(-3);
          const stopped = await generator.generate(prompt, { ...options, stop });
          expect(stopped).toEqual(await generator.generate(prompt, { ...without, stop }));
          expect(stopped.end).toBe('stop');
        }
      }
    },
  );

  test('an aborted stream ends between two pieces, and the next call gives the whole text', async () => {
    const generator = await keep(Generator.load(folder('gpt2')));
    const options = { maxLength: 40, temperature: 0 };
    const { text } = await generator.generate(prompts[0], options);
    const reader = generator.stream(prompts[0], options).getReader();
    let read = '';
    for (let part = 0; part < 20; ++part) read += (await reader.read()).value;
    await reader.cancel();
    expect(text.startsWith(read)).toBe(true);
    expect(read.length).toBeLessThan(text.length);
    expect((await generator.generate(prompts[0], options)).text).toBe(text);
  });

  test('the option is true or false', async () => {
    const generator = await keep(Generator.load(folder('gpt2')));
    for (const promptLookup of [1, 'no', null]) {
      const error = await rejection(generator.generate('a', { promptLookup }));
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'promptLookup' });
    }
  });
});

test('the elements draw a trace: pieces as their text, weights unchanged', async () => {
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

test('an unsupported call is reported', async () => {
  const code = async (promise) => {
    const error = await rejection(promise);
    expect(error).toBeInstanceOf(QkvError);
    return `${error.code}: ${error.message}`;
  };
  expect(await code(Encoder.load(folder('gpt2')))).toMatch(/INVALID_ARGUMENT.*Generator\.load/);
  expect(await code(Generator.load(tinyFolder))).toMatch(/INVALID_ARGUMENT.*load\(\)/);
  expect(await code(load(folder('gpt2'), { numbers: 'int4' }))).toMatch(/INVALID_ARGUMENT.*int8/);
  expect(await code(Generator.load(folder('gpt2'), { threads: 0 }))).toMatch(/INVALID_ARGUMENT.*threads/);
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

test('a stream generates no further than its reader reads', async () => {
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

test('maxLength is the same option in all calls, and must be a whole number', async () => {
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

test('a piece of spaces before a word is drawn as a space', () => {
  const traced = { pieces: ['▁', 'é', '▁a'], ids: [1, 2, 3], begin: [0, 0, 1], end: [1, 1, 3], of: [0, 0, 0] };
  const { source } = encoderTrace(
    { ...traced, encoderSelf: { shape: [1, 1, 3, 3], data: new Float32Array(9) } },
    'é a',
  );
  expect(source.labels.map(({ text }) => text)).toEqual(['␣', 'é', 'a']);
});

test.each(['bert-masked', 'bert-sequence', 'bert-tokens', 'bert-answer'])(
  '%s without special pieces reads an empty text as no pieces',
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
