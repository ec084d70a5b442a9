import { cpSync, mkdtempSync, openAsBlob, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Translator } from '../../web/lib/index.js';
import { at, create, readJson, rejection, serveFolder, tinyFolder } from './support.js';

const kFiles = readdirSync(tinyFolder).filter((name) =>
  /^(config|vocab|generation_config)\.json$|\.spm$|\.safetensors$/.test(name),
);
const bytesOf = (name) => new Uint8Array(readFileSync(join(tinyFolder, name)));
const tinyFiles = (change = {}) => ({
  files: { ...Object.fromEntries(kFiles.map((name) => [name, bytesOf(name)])), ...change },
});

let expected;
let keeper; // All loads of this file share the engine: anything that a bad model leaves behind would show.
beforeAll(async () => {
  keeper = await create({ model: tinyFolder });
  expected = await keeper.translate('Hello there.');
});
afterAll(() => keeper.destroy());

async function expectLoads(model) {
  const translator = await create({ model });
  expect(await translator.translate('Hello there.')).toBe(expected);
  translator.destroy();
}

describe('a model is given as', () => {
  test('a path, with or without a slash at its end', async () => {
    await expectLoads(`${tinyFolder}/`);
    await expectLoads('tests/goldens/models/tiny-f32');
  });

  test('a file: URL, a string or a URL', async () => {
    await expectLoads(pathToFileURL(tinyFolder));
    await expectLoads(pathToFileURL(tinyFolder).href);
  });

  test('an http URL', async () => {
    const server = await serveFolder(tinyFolder);
    await expectLoads(server.url);
    await expectLoads(new URL(server.url.slice(0, -1)));
    await server.close();
  });

  test('URLs of its files: the weights are asked for while a small file is still to come', async () => {
    let ask;
    const isAsked = new Promise((resolve) => (ask = resolve));
    const server = await serveFolder(tinyFolder, (name, response) => {
      if (name === 'model.safetensors') ask();
      if (name !== 'vocab.json') return false;
      void isAsked.then(() => response.writeHead(200).end(bytesOf(name)));
      return true;
    });
    await expectLoads({ files: Object.fromEntries(kFiles.map((name) => [name, server.url + name])) });
    expect(server.requests.filter((name) => name === 'model.safetensors')).toHaveLength(1);
    await server.close();
  });

  test('bytes: typed arrays, their buffers, Blobs, URLs, all at once', async () => {
    await expectLoads(tinyFiles());
    await expectLoads(
      tinyFiles({ 'config.json': bytesOf('config.json').buffer, 'vocab.json': new Blob([bytesOf('vocab.json')]) }),
    );
    await expectLoads(tinyFiles({ 'model.safetensors': await openAsBlob(join(tinyFolder, 'model.safetensors')) }));
    await expectLoads(tinyFiles({ 'model.safetensors': pathToFileURL(join(tinyFolder, 'model.safetensors')) }));
    const base64 = `data:application/json;base64,${Buffer.from(bytesOf('config.json')).toString('base64')}`;
    const encoded = `data:,${encodeURIComponent(readFileSync(join(tinyFolder, 'vocab.json'), 'utf8'))}`;
    await expectLoads(tinyFiles({ 'config.json': base64, 'vocab.json': encoded }));
  });

  test('files of which gzip packed some, by URL or as bytes', async () => {
    const packed = (name) => ({ [name]: undefined, [`${name}.packed`]: gzipSync(bytesOf(name)) });
    await expectLoads(tinyFiles({ ...packed('source.spm'), ...packed('vocab.json'), ...packed('model.safetensors') }));
    const damaged = gzipSync(bytesOf('source.spm')).subarray(0, -20);
    const error = await rejection(
      create({ model: tinyFiles({ 'source.spm': undefined, 'source.spm.packed': damaged }) }),
    );
    expect(error).toMatchObject({ code: 'INVALID_FILE', where: 'source.spm.packed' });
  });

  test('a list without vocab.json, where the rows are the pieces of source.spm', async () => {
    const folder = new URL('../../web/models/en-fr/', import.meta.url);
    const names = ['config.json', 'generation_config.json', 'source.spm', 'model.safetensors'];
    const files = Object.fromEntries(names.map((name) => [name, new URL(name, folder)]));
    const [whole, without] = [await create({ model: folder }), await create({ model: { files } })];
    const sentence = 'My brother lives in a big white house.';
    expect((await without.trace(sentence)).target.pieces).toEqual((await whole.trace(sentence)).target.pieces);
    whole.destroy();
    without.destroy();
    // In another order the file is needed.
    const other = at('tests/goldens/models/tiny-f16');
    const bytes = Object.fromEntries(names.map((name) => [name, readFileSync(join(other, name))]));
    const error = await rejection(create({ model: { files: bytes } }));
    expect(error).toMatchObject({ code: 'MISSING_FILE', where: 'vocab.json' });
  });

  test('files that a person chose; of two with one name the one nearer the top', async () => {
    const chosen = (name, path, bytes = bytesOf(name)) =>
      Object.defineProperty(new File([bytes], name), 'webkitRelativePath', { value: path });
    const files = kFiles.map((name) => chosen(name, `tiny/${name}`));
    await expectLoads(files);
    await expectLoads([chosen('config.json', 'tiny/old/config.json', new Uint8Array(3)), ...files]);
    await expectLoads([...files, chosen('config.json', 'tiny/old/config.json', new Uint8Array(3))]);
  });

  test('any other value is refused', async () => {
    for (const model of [null, 7, {}, { files: null }, { files: { 'config.json': 7 } }]) {
      expect(await rejection(create({ model }))).toMatchObject({ name: 'QkvError', code: 'INVALID_ARGUMENT' });
    }
  });
});

describe('a bad model', () => {
  afterEach(() => expectLoads(tinyFolder)); // a good model loads in the same engine

  test('lacks a file: MISSING_FILE, or NetworkError for a download', async () => {
    for (const name of kFiles.filter((name) => !/generation/.test(name))) {
      // A list may leave out vocab.json: the rows of this model are the pieces of its source.spm.
      if (name !== 'vocab.json') {
        const missing = await rejection(create({ model: tinyFiles({ [name]: undefined }) }));
        expect(missing).toMatchObject({ name: 'QkvError', code: 'MISSING_FILE', where: name });
        expect(missing.message).toContain(name);
      }
      const server = await serveFolder(
        tinyFolder,
        (asked, response) => asked === name && !!response.writeHead(404).end('?'),
      );
      const error = await rejection(create({ model: server.url }));
      expect(error).toMatchObject({ name: 'NetworkError', cause: { code: 'NETWORK', where: name } });
      expect(error.message).toMatch(new RegExp(`${name.replace('.', '\\.')}.*404`));
      expect(error).toBeInstanceOf(DOMException);
      await server.close();
    }
    const nowhere = await rejection(create({ model: join(tinyFolder, 'nowhere') }));
    expect(nowhere).toMatchObject({ name: 'QkvError', code: 'MISSING_FILE', where: expect.stringMatching(/json|spm/) });
  });

  test('loads without generation_config.json and target.spm', async () => {
    const translator = await create({ model: tinyFiles({ 'generation_config.json': undefined }) });
    expect(typeof (await translator.translate('Hello there.'))).toBe('string');
    translator.destroy();
  });

  test('is not served: NetworkError with the status, or that there is no answer', async () => {
    const server = await serveFolder(
      tinyFolder,
      (name, response) => name === 'vocab.json' && !!response.writeHead(503).end(),
    );
    const error = await rejection(create({ model: server.url }));
    expect(error).toMatchObject({ name: 'NetworkError', message: expect.stringMatching(/vocab\.json.*503/) });
    await server.close();
    const refused = await rejection(create({ model: server.url }));
    expect(refused).toMatchObject({ name: 'NetworkError', cause: { code: 'NETWORK' } });
    expect(refused.message).toContain(server.url);
  });

  test('breaks off during the download: NetworkError', async () => {
    const weights = bytesOf('model.safetensors');
    const breakOff = (name, response) => {
      if (name !== 'model.safetensors') return false;
      response.writeHead(200, { 'content-length': weights.length });
      response.write(weights.subarray(0, weights.length >> 1), () => setTimeout(() => response.destroy(), 20));
      return true;
    };
    const server = await serveFolder(tinyFolder, breakOff);
    const error = await rejection(create({ model: server.url }));
    expect(error).toMatchObject({ name: 'NetworkError', cause: { where: 'model.safetensors' } });
    await server.close();
  });

  test('has weights cut anywhere: INVALID_FILE', async () => {
    const weights = bytesOf('model.safetensors');
    for (const length of [0, 1, 8, 9, 100, 5000, weights.length >> 1, weights.length - 1]) {
      const cut = weights.slice(0, length);
      const error = await rejection(create({ model: tinyFiles({ 'model.safetensors': cut }) }));
      expect(error).toMatchObject({
        name: 'QkvError',
        code: 'INVALID_FILE',
        where: expect.stringContaining('model.safetensors'),
      });
      const send = (name, response) => name === 'model.safetensors' && !!response.writeHead(200).end(cut);
      const server = await serveFolder(tinyFolder, send);
      expect(await rejection(create({ model: server.url }))).toMatchObject({ name: 'QkvError', code: 'INVALID_FILE' });
      await server.close();
    }
  });

  // The tensors of the second model have 256 MiB each. Only their sum is too large for a memory of 32 bits.
  test.each([30_000, 8190])('of width %d promises more than memory holds: an error at its header', async (size) => {
    const config = {
      ...JSON.parse(new TextDecoder().decode(bytesOf('config.json'))),
      d_model: size,
      encoder_ffn_dim: size,
    };
    const weights = bytesOf('model.safetensors');
    const headerEnd = 8 + Number(new DataView(weights.buffer, weights.byteOffset).getBigUint64(0, true));
    const { __metadata__, ...tensors } = JSON.parse(new TextDecoder().decode(weights.subarray(8, headerEnd)));
    let end = 0;
    for (const tensor of Object.values(tensors)) {
      tensor.shape = tensor.shape.map((n) => ([30, 18].includes(n) ? size : n));
      tensor.data_offsets = [end, (end += 4 * tensor.shape.reduce((a, b) => a * b, 1))];
    }
    const header = new TextEncoder().encode(JSON.stringify(tensors));
    const length = new Uint8Array(new BigUint64Array([BigInt(header.length)]).buffer);
    const answer = (name, response) => {
      if (name === 'config.json') return !!response.end(JSON.stringify(config));
      if (name !== 'model.safetensors') return false;
      response.write(length); // in two writes, so that there is no Content-Length
      return !!response.end(Buffer.concat([header, new Uint8Array(1000)]));
    };
    const server = await serveFolder(tinyFolder, answer);
    const error = await rejection(create({ model: server.url }));
    await server.close();
    expect(error).toMatchObject({ name: 'QkvError', code: 'LIMIT_EXCEEDED', where: 'model.safetensors' });
    expect(error.message).toMatch(/take \d{4,} MB of memory; \d{4} MB can be had/);
    expect(await keeper.memoryBytes()).toBeLessThan(100e6);
  });

  test('has files that are not what they should be: INVALID_FILE or UNSUPPORTED, naming the file', async () => {
    const text = (string) => new TextEncoder().encode(string);
    const html = text('<!doctype html><title>Not found</title>');
    const bad = [
      ...['config.json', 'generation_config.json', 'vocab.json', 'source.spm', 'model.safetensors'].map((name) => [
        name,
        html,
      ]),
      ['config.json', text('{}')],
      ['config.json', text('[1, 2]')],
      ['config.json', text('{"model_type": "bert"}')],
      ['config.json', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
      ['vocab.json', text('{"a": 1e99}')],
      ['source.spm', new Uint8Array(0)],
      ['model.safetensors', new Uint8Array(1 << 16).fill(255)],
    ];
    for (const [name, bytes] of bad) {
      const error = await rejection(create({ model: tinyFiles({ [name]: bytes }) }));
      expect(error.name).toBe('QkvError');
      expect(['INVALID_FILE', 'UNSUPPORTED', 'LIMIT_EXCEEDED']).toContain(error.code);
      expect(`${error.where} ${error.message}`).toContain(name);
    }
  });

  test('is not remembered: when its files are correct, it loads', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'qkv-'));
    cpSync(tinyFolder, folder, { recursive: true });
    writeFileSync(join(folder, 'config.json'), '{');
    expect(await rejection(create({ model: folder }))).toMatchObject({ code: 'INVALID_FILE' });
    cpSync(join(tinyFolder, 'config.json'), join(folder, 'config.json'));
    await expectLoads(folder);
    rmSync(folder, { recursive: true });
  });
});

describe('progress', () => {
  async function progressOf(options) {
    const seen = [];
    const types = new Set();
    const monitor = (m) =>
      m.addEventListener('downloadprogress', (e) => (seen.push(e.loaded), types.add(`${e.type} of ${e.total}`)));
    const translator = await create({ monitor, ...options });
    translator.destroy();
    expect([...types]).toEqual(['downloadprogress of 1']);
    return seen;
  }

  test('begins with 0, grows with every event, ends with 1', async () => {
    for (const worker of [false, true]) {
      const seen = await progressOf({ worker });
      expect(seen[0]).toBe(0);
      expect(seen.at(-1)).toBe(1);
      expect(seen.length).toBeGreaterThan(1); // at least 50 ms lie between two reports, so a disk gives few
      expect(seen.every((loaded, i) => i === 0 || loaded > seen[i - 1])).toBe(true);
    }
  });

  test('calls `ondownloadprogress` too', async () => {
    const seen = [];
    const monitor = (m) => (m.ondownloadprogress = (event) => seen.push(event.loaded));
    (await create({ model: tinyFolder, monitor })).destroy();
    expect([seen[0], seen.at(-1)]).toEqual([0, 1]);
  });

  test('is reported if the server sends no length', async () => {
    const server = await serveFolder(tinyFolder, (name, response) => {
      response.writeHead(kFiles.includes(name) ? 200 : 404);
      response.end(kFiles.includes(name) ? bytesOf(name) : '');
      return true;
    });
    const seen = await progressOf({ model: server.url });
    expect([seen[0], seen.at(-1)]).toEqual([0, 1]);
    await server.close();
  });

  test('reaches all callers that wait for the same model, which is downloaded once', async () => {
    const server = await serveFolder(tinyFolder);
    const [a, b] = await Promise.all([progressOf({ model: server.url }), progressOf({ model: server.url })]);
    for (const seen of [a, b]) expect([seen[0], seen.at(-1)]).toEqual([0, 1]);
    expect(server.requests.filter((name) => name === 'model.safetensors')).toHaveLength(1);
    expect(server.requests).not.toContain('target_vocab.json'); // its config says that there is one vocabulary
    await server.close();
  });
});

test('pre-norm, and a vocabulary for each side, as PyTorch has them', async () => {
  const folder = 'tests/goldens/models/tiny-pre-norm';
  const { translations } = readJson(`${folder}/translations.json`);
  const translator = await create({ model: folder });
  for (const { source, beam } of translations) {
    expect(await translator.translate(source, { split: false, copy: false })).toBe(beam.text);
    const { source: read } = await translator.trace(source, { copy: false });
    expect(read.pieces.slice(0, -1).join('')).toBe(`▁${source.replaceAll(' ', '▁')}`);
  }
  const { source } = await translator.trace('>>fra<< Is it cold?');
  expect(source.pieces[0]).toBe('>>fra<<');
  translator.destroy();
});

describe('languages', () => {
  const pair = (sourceLanguage, targetLanguage) => ({ sourceLanguage, targetLanguage });

  test('are matched by language, not by region', async () => {
    for (const [source, target] of [
      ['en', 'fr'],
      ['en-GB', 'fr-CA'],
      ['EN', 'FR'],
      ['en', 'de-AT'],
      ['en-US', 'es'],
      ['fr-CA', 'en'],
      ['de-AT', 'en'],
      ['es-MX', 'en-US'],
    ]) {
      expect(await Translator.availability(pair(source, target))).not.toBe('unavailable');
    }
    for (const [source, target] of [
      ['it', 'en'],
      ['de', 'es'],
    ]) {
      expect(await Translator.availability(pair(source, target))).toBe('unavailable');
    }
  });

  test('that the package has no model for are NotSupportedError', async () => {
    const error = await rejection(Translator.create(pair('en', 'ja')));
    expect(error).toBeInstanceOf(DOMException);
    expect(error).toMatchObject({ name: 'NotSupportedError', cause: { name: 'QkvError', code: 'UNSUPPORTED' } });
    expect(error.message).toContain('`model`');
  });

  test('are reported for a model that the caller gives', async () => {
    const translator = await Translator.create({ ...pair('de', 'ja'), model: tinyFolder });
    expect(translator).toMatchObject(pair('de', 'ja'));
    translator.destroy();
  });

  test('must be language tags', async () => {
    const refused = (where) => ({ name: 'QkvError', code: 'INVALID_ARGUMENT', where });
    const availability = await rejection(Translator.availability(pair('not a tag', 'fr')));
    expect(availability).toMatchObject(refused('sourceLanguage'));
    expect(await rejection(Translator.create(pair('en', 'f')))).toMatchObject(refused('targetLanguage'));
    expect(await rejection(Translator.create({ sourceLanguage: 'en' }))).toMatchObject(refused('targetLanguage'));
  });
});

describe('the engine', () => {
  const wasm = at('build/wasm/baseline/qkv.wasm');

  test('is given as a URL, as bytes, as a module', async () => {
    const bytes = readFileSync(wasm);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    for (const given of [wasm, pathToFileURL(wasm), buffer, await WebAssembly.compile(bytes)]) {
      for (const worker of [false, true]) {
        const translator = await create({ model: tinyFolder, wasm: given, worker });
        expect(translator.info.engine).toBe('custom');
        expect(await translator.translate('Hello there.')).toBe(expected);
        translator.destroy();
      }
    }
  });

  test('streams over http, also with a wrong media type', async () => {
    for (const type of ['application/wasm', 'text/plain']) {
      const server = await serveFolder(
        '',
        (_, response) => !!response.writeHead(200, { 'content-type': type }).end(readFileSync(wasm)),
      );
      const translator = await create({ model: tinyFolder, wasm: `${server.url}qkv.wasm` });
      expect(await translator.translate('Hello there.')).toBe(expected);
      translator.destroy();
      await server.close();
    }
  });

  test('that cannot be loaded is an error that says so', async () => {
    const server = await serveFolder('');
    const missing = await rejection(create({ model: tinyFolder, wasm: `${server.url}qkv.wasm` }));
    expect(missing).toMatchObject({ name: 'NetworkError', message: expect.stringContaining('404') });
    await server.close();
    expect(await rejection(create({ model: tinyFolder, wasm: 'nowhere.wasm' }))).toMatchObject({
      code: 'MISSING_FILE',
    });
    expect(await rejection(create({ model: tinyFolder, wasm: new ArrayBuffer(8) }))).toMatchObject({
      code: 'UNSUPPORTED',
    });
    const html = new TextEncoder().encode('<!doctype html>').buffer;
    expect(await rejection(create({ model: tinyFolder, wasm: html }))).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('served as it is'),
    });
    const empty = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    expect(await rejection(create({ model: tinyFolder, wasm: empty }))).toMatchObject({ code: 'ENGINE_FAILED' });
    await expectLoads(tinyFolder);
  });
});
