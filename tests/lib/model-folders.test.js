// How folders of models that people bring are loaded and inspected: in shards, in zips, from servers.
import { readFileSync, readdirSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { Translator as Plain } from '../../web/lib/index.js';
import { Encoder, Generator, QkvError, Translator, inspect, load } from '../../web/lib/models/index.js';
import { collect, expectNear, filesOf, folder, goldens, withModels } from './one-sided-support.js';
import { at, readJson, rejection, serveFolder, tinyFolder } from './support.js';
import { zip } from './zip.js';

const keep = withModels();

test('load() finds out the kind of a folder', async () => {
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

test('a translation model in shards is read by the engine of qkv/models, from every entry point', async () => {
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
  const known = await keep(load({ files }, { beam: 1 }));
  for (const translator of [known, await keep(load(tinyFolder, { beam: 1 }))]) {
    const text = '>>fra<< I see you. Go on!';
    const parts = await translator.translateParts(text);
    expect(parts.map((part) => part.text).join('')).toBe(text);
    const isKnown = translator === known;
    const second = isKnown ? '>>fra<< Go on!' : 'Go on!';
    const alone = await translator.translate(second, { split: false });
    expect(parts.at(-1)).toMatchObject({ text: 'Go on!', translation: alone });
    expect((await collect(translator.translateStreaming(text))).at(-1)).toBe(alone);
    const { source } = await translator.trace(second);
    expect(source.pieces[0] === '>>fra<<').toBe(isKnown);
  }
});

test('inspect() describes a folder before it is loaded', async () => {
  const names = { 'bert-masked': 'Encoder', gpt2: 'Generator', 'gpt2-untied': 'Generator', 'bert-answer': 'Encoder' };
  for (const [name, kind] of Object.entries(names)) {
    for (const numbers of ['float', 'int8']) {
      const reported = await inspect(folder(name), { numbers });
      const { info } = await keep(load(folder(name), { numbers }));
      expect(reported.class).toBe(kind);
      for (const field of ['bytes', 'parameters', 'dModel', 'vocabularySize', 'maxLength']) {
        expect([name, field, reported[field]]).toEqual([name, field, info[field]]);
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

test('inspect() refuses a second shard without a directory', async () => {
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

test('a zip with wrong headers soon is an error, and the next one loads', async () => {
  const reported = async (archive) => {
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
  expect(await reported(zip(bomb, { deflate: true }))).toMatch(/LIMIT_EXCEEDED.*tokenizer\.json/);
  const claimsLess = zip(files, { deflate: true, size: (name, size) => (name === 'config.json' ? 10 : size) });
  expect(await reported(claimsLess)).toMatch(/INVALID_FILE.*config\.json.*size/);
  const claimsMore = zip(files, { deflate: true, size: (name, size) => size + 1 });
  expect(await reported(claimsMore)).toMatch(/INVALID_FILE.*size/);
  expect(await reported(zip(files, { size: (name, size) => size + 1 }))).toMatch(/INVALID_FILE.*two sizes/);
  expect(await reported(zip(files, { method: 14 }))).toMatch(/UNSUPPORTED.*method 14/);
  expect(await reported(zip(files, { flags: 1 }))).toMatch(/UNSUPPORTED.*encrypted/);
  expect(await reported(zip(files, { count: 20_000 }))).toMatch(/LIMIT_EXCEEDED/);
  expect(await reported(zip(files, { count: 500 }))).toMatch(/INVALID_FILE/);
  expect(await reported(zip({}))).toMatch(/INVALID_FILE|MISSING_FILE/);
  expect(await reported(zip({ 'a.txt': new Uint8Array([65]) }))).toMatch(/MISSING_FILE.*config\.json/);
  expect(await reported(new Uint8Array(1000))).toMatch(/INVALID_FILE/);
  expect(await reported(new Uint8Array(0))).toMatch(/INVALID_FILE/);
  const whole = good();
  for (let i = 1; i < 12; ++i) {
    expect(await reported(whole.slice(0, Math.floor((whole.length * i) / 12)))).toMatch(/INVALID_FILE/);
    const damaged = good();
    damaged.fill(0xa5, Math.floor((damaged.length * i) / 12), Math.floor((damaged.length * i) / 12) + 40);
    const outcome = await keep(load(damaged)).then(
      () => 'loaded',
      (error) => error.constructor.name,
    );
    expect(['loaded', 'QkvError']).toContain(outcome); // not the whole file is read
  }
  expect(await keep(load(good()))).toBeInstanceOf(Encoder);
});

test('a changed byte of a zip is an error that names the file, and the next one loads', async () => {
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

test("our checksum of a zip's file equals the one in the zip", async () => {
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

test('unnecessary files are not requested from a server, and a second vocabulary is requested if there is one', async () => {
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
