// Models in Marian's own files, as Firefox has them, from every kind of source. tests/oracle/make_marian_goldens.py
// wrote the models and computed their results in NumPy.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Translator, inspect, load } from '../../web/lib/models/index.js';
import { zip } from './zip.js';
import { at, create, readJson, rejection, serveFolder } from './support.js';

const kRoot = 'tests/goldens/marian';
const filesOf = (name) =>
  Object.fromEntries(
    readdirSync(at(`${kRoot}/${name}`))
      .filter((file) => /^(model|lex|\w*vocab)\./.test(file))
      .map((file) => [file, new Uint8Array(readFileSync(join(at(`${kRoot}/${name}`), file)))]),
  );
const goldensOf = (name) => readJson(`${kRoot}/${name}/goldens.json`).goldens;
const kFloats = ['ssru-f16', 'ssru-pre-norm', 'self-attention-f32', 'trained-positions'];
const kInt8Margin = 0.25;

test.each([...kFloats, 'ssru-int8', 'ssru-int8-two'])('%s translates as NumPy does', async (name) => {
  const translator = await create({ model: at(`${kRoot}/${name}`) });
  expect(translator.info.shortlist).toBe(true);
  let equal = 0;
  for (const { text, whole, shortlist } of goldensOf(name)) {
    for (const expected of [whole, shortlist]) {
      const { hypotheses } = await translator.search(text, { shortlist: expected === shortlist, copy: false });
      const isSame = hypotheses[0].text === expected.text;
      if (!isSame) expect(kFloats.includes(name) ? Infinity : expected.gap).toBeLessThan(kInt8Margin);
      equal += isSame;
    }
  }
  expect(equal).toBeGreaterThan(kFloats.includes(name) ? 7 : 2);
  translator.destroy();
});

test('a trace has the gates of each SSRU layer, and the guided head as alignment', async () => {
  const translator = await create({ model: at(`${kRoot}/ssru-int8`) });
  const { target, decoderSelf, gates, cross, alignment, targetInput } = await translator.trace('It is raining.', {
    copy: false,
  });
  const length = target.pieces.length;
  expect(decoderSelf.shape).toEqual([2, 1, length, length]);
  expect(gates.shape).toEqual([2, 1, length, 16]);
  // The last piece's weight is what its gates did not keep of the pieces before.
  const last = gates.data.subarray((length - 1) * 16, length * 16).reduce((sum, gate) => sum + 1 - gate, 0) / 16;
  expect(last).toBeCloseTo(decoderSelf.data[length * length - 1], 5);
  expect(cross.shape.slice(0, 2)).toEqual([2, 4]);
  expect(alignment.heads).toEqual([[1, 0]]);
  expect(targetInput[0]).toBe('<pad>');
  const row = decoderSelf.data.subarray((length - 1) * length, length * length);
  const sum = row.reduce((all, share) => all + share, 0);
  expect(sum).toBeGreaterThan(0);
  expect(sum).toBeLessThanOrEqual(1);
  translator.destroy();
});

describe('is given as', () => {
  const files = filesOf('ssru-int8');
  const plain = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name.replace('.gz', ''), new Uint8Array(gunzipSync(bytes))]),
  );
  const { text, whole } = goldensOf('ssru-int8')[3];
  const translates = async (model, more) => {
    const translator = await create({ model, ...more });
    const translation = await translator.translate(text, { shortlist: false, split: false, copy: false });
    translator.destroy();
    return translation;
  };
  let expected;
  beforeAll(async () => (expected = await translates(at(`${kRoot}/ssru-int8`))));

  test('files, bytes and Blobs, compressed or not, in a worker too', async () => {
    expect(typeof whole.text).toBe('string');
    expect(await translates({ files })).toBe(expected);
    expect(await translates({ files: plain }, { worker: true })).toBe(expected);
    const blobs = Object.entries(files).map(([name, bytes]) => [name, new Blob([bytes])]);
    expect(await translates({ files: Object.fromEntries(blobs) })).toBe(expected);
    expect(await translates(Object.entries(plain).map(([name, bytes]) => new File([bytes], name)))).toBe(expected);
  });

  test("a folder's URL, whose files have the languages in their names", async () => {
    const served = await serveFolder(at(`${kRoot}/ssru-int8`), (name, response) => {
      const bytes = files[name.replace('.enfr.', '.xxyy.').replace('intgemm.alphas.', '').replace('50.50.', '')];
      if (bytes) response.writeHead(200).end(bytes);
      return bytes !== undefined;
    });
    expect(await translates(served.url)).toBe(expected);
    expect(served.requests).toContain('model.enfr.intgemm.alphas.bin.gz');
    await served.close();
  });

  test('an empty folder is an error that names the missing files', async () => {
    const served = await serveFolder(at('tests/goldens/rnn.json'));
    const error = await rejection(translates(served.url));
    expect(String(error)).toMatch(/config\.json|vocab\.json|source\.spm/);
    await served.close();
  });
});

describe('by qkv/models', () => {
  const files = filesOf('ssru-int8');
  const { text } = goldensOf('ssru-int8')[3];
  const given = [
    ['files', { files }],
    ['chosen files', Object.entries(files).map(([name, bytes]) => new File([bytes], name))],
    ['a folder', at(`${kRoot}/ssru-int8`)],
    ['a zip', new Blob([zip(files)])],
  ];

  test.each(given)('it loads: %s', async (_, model) => {
    const translator = await load(model, { sourceLanguage: 'en', targetLanguage: 'fr', class: 'Translator' });
    expect(translator).toBeInstanceOf(Translator);
    const own = await create({ model: { files } });
    expect(await translator.translate(text)).toBe(await own.translate(text));
    expect(translator.info.parameters).toBe(own.info.parameters);
    for (const one of [translator, own]) one.destroy();
  });

  test.each(given)('inspect() describes it: %s', async (_, model) => {
    const info = await inspect(model);
    expect(info).toMatchObject({ class: 'Translator', modelType: 'marian', dModel: 16, vocabularySize: 321 });
    expect(info).toMatchObject({ encoderLayers: 2, decoderLayers: 2, heads: 4, shortlist: true, maxLength: 512 });
    expect(info.parameters).toBeGreaterThan(10_000);
    expect(info.bytes).toBeGreaterThan(info.parameters);
    expect((await inspect(at(`${kRoot}/self-attention-f32`))).numbers).toBe('floats');
  });

  test('it is refused as another class, and a folder of no known kind is an error about config.json', async () => {
    expect((await rejection(load({ files }, { class: 'Encoder' }))).message).toMatch(/Translator|translation/);
    for (const call of [load, inspect]) {
      const error = await rejection(call({ files: { 'vocab.xxyy.spm.gz': files['vocab.xxyy.spm.gz'] } }));
      expect([error.code, error.where]).toEqual(['MISSING_FILE', 'config.json']);
    }
  });
});

describe('damaged', () => {
  const files = filesOf('ssru-f16');
  const [model] = Object.keys(files).filter((name) => name.startsWith('model'));
  const refused = async (changed) => rejection(create({ model: { files: { ...files, ...changed } } }));

  test.each([0, 8, 15, 100, 5000, -300])('cut at %i', async (end) => {
    const error = await refused({ [model]: files[model].subarray(0, end) });
    expect(error.code).toMatch(/INVALID_FILE/);
    expect(error.where).toMatch(model);
  });

  test('truncated and empty gzip files are refused', async () => {
    const packed = new Uint8Array(gzipSync(files[model]));
    const error = await refused({ [model]: undefined, 'model.gz.bin': packed.subarray(0, packed.length - 100) });
    expect([error.code, error.where]).toEqual(['INVALID_FILE', 'model.gz.bin']);
    const empty = await refused({ [model]: new Uint8Array(gzipSync('')) });
    expect(empty.code).toBe('INVALID_FILE');
  });

  test('a missing vocabulary, two models, and a foreign vocabulary are refused', async () => {
    expect((await refused({ 'vocab.xxyy.spm': undefined })).code).toBe('MISSING_FILE');
    expect((await refused({ 'model.other.bin': files[model] })).code).toBe('INVALID_ARGUMENT');
    const other = new Uint8Array(gunzipSync(filesOf('ssru-int8')['vocab.xxyy.spm.gz']));
    const error = await refused({ 'vocab.xxyy.spm': other });
    expect([error.code, error.where]).toEqual(['INVALID_FILE', 'vocab.xxyy.spm']);
    expect(error.message).toMatch(/320 pieces.*64/);
  });

  test('swapped vocabularies are refused', async () => {
    const two = filesOf('ssru-int8-two');
    const sides = { 'srcvocab.xxyy.spm': two['trgvocab.xxyy.spm'], 'trgvocab.xxyy.spm': two['srcvocab.xxyy.spm'] };
    const error = await rejection(create({ model: { files: { ...two, ...sides } } }));
    expect([error.code, error.where]).toEqual(['INVALID_FILE', 'srcvocab.xxyy.spm']);
    expect(error.message).toMatch(/swapped/);
  });

  test.each([
    ['vocab.xxyy.spm', 'LIMIT_EXCEEDED'], // it is read whole
    [model, 'INVALID_FILE'], // refused by its first bytes
    ['lex.xxyy.s2t.bin', 'LIMIT_EXCEEDED'],
  ])('gzip that unpacks to 80 MiB of zeros as %s', async (name, code) => {
    const error = await refused({ [name]: new Uint8Array(gzipSync(new Uint8Array(80 << 20), { level: 1 })) });
    expect([error.code, error.where]).toEqual([code, name]);
  });

  test('the engine works after all of these', async () => {
    const translator = await create({ model: { files } });
    expect(await translator.translate('No.', { shortlist: false, copy: false })).toBe(
      goldensOf('ssru-f16')[3].whole.text,
    );
    translator.destroy();
  });
});
