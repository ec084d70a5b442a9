// Models in archives: a zip of a folder or of Marian's files, and files compressed with zstd. These tests write their
// own archives; only those in tests/goldens/zstd were written by zstd.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sizeBound, unzstd } from '../../web/lib/loading/zstd.js';
import { at, create, rejection, serveFolder } from './support.js';
import { zip } from './zip.js';

const filesIn = (folder, pattern) =>
  Object.fromEntries(
    readdirSync(at(folder))
      .filter((name) => pattern.test(name))
      .map((name) => [name, new Uint8Array(readFileSync(join(at(folder), name)))]),
  );
const packed = filesIn('tests/goldens/marian/ssru-int8', /^(model|lex|vocab)\./);
const marian = Object.fromEntries(
  Object.entries(packed).map(([name, bytes]) => [name.replace('.gz', ''), new Uint8Array(gunzipSync(bytes))]),
);
const zstd = filesIn('tests/goldens/zstd', /\.zst$/);
const folder = filesIn('tests/goldens/models/tiny-f32', /^(config\.json|generation|vocab|source|model)/);
const text = 'It is raining.';

const translates = async (model, more) => {
  const translator = await create({ model, ...more });
  const translation = await translator.translate(text, { shortlist: false, split: false, copy: false });
  translator.destroy();
  return translation;
};
const refused = async (bytes) => {
  const { code, where, message } = await rejection(create({ model: bytes }));
  return `${code} ${where} ${message}`;
};

describe('a zip', () => {
  test.each([
    ["Marian's files", marian],
    ["Marian's files, compressed by gzip", packed],
    ["Marian's files, compressed by zstd", zstd],
    ['a model folder', folder],
  ])('of %s, stored and deflated, at the top and deeper', async (_, files) => {
    const expected = await translates({ files: files === zstd ? marian : files });
    const deeper = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`a model/${name}`, bytes]));
    const extra = { 'README.md': new Uint8Array(99), '__MACOSX/._vocab.json': new Uint8Array(9) };
    expect(await translates(zip(files))).toBe(expected);
    expect(await translates(new Blob([zip({ ...extra, ...deeper }, { deflate: true })]))).toBe(expected);
    expect(await translates([new File([zip(files)], 'model.ZIP')], { worker: true })).toBe(expected);
    expect(await translates({ files: { 'any.zip': zip(deeper).buffer } })).toBe(expected);
  });

  test('from a server, by an address with a query, with progress to 1', async () => {
    const served = await serveFolder(at('tests/goldens'), (name, response) => {
      response.writeHead(200).end(zip(marian, { deflate: true }));
      return name.startsWith('model.zip');
    });
    const reports = [];
    const monitor = (events) => events.addEventListener('downloadprogress', ({ loaded }) => reports.push(loaded));
    expect(await translates(`${served.url}model.zip?version=1`, { monitor })).toBe(await translates({ files: marian }));
    expect(reports[0]).toBe(0);
    expect(reports.at(-1)).toBe(1);
    expect(reports).toEqual(reports.toSorted((a, b) => a - b));
    expect(served.requests).toEqual(['model.zip?version=1']);
    await served.close();
  });

  test('aborts while it downloads', async () => {
    const controller = new AbortController();
    const served = await serveFolder(at('tests/goldens'), (name, response) => {
      response.writeHead(200);
      response.write(zip(marian).subarray(0, 1000));
      setTimeout(() => controller.abort(new Error('enough')), 50);
      return true;
    });
    const error = await rejection(translates(`${served.url}model.zip`, { signal: controller.signal }));
    expect(error.message).toBe('enough');
    await served.close();
  });

  test('with wrong headers or without a model is an error that names the file, and the next model loads', async () => {
    const model = 'model.xxyy.bin';
    expect(await refused(zip({}))).toMatch(/INVALID_FILE zip/);
    expect(await refused(new Uint8Array(1000))).toMatch(/INVALID_FILE zip .*it does not begin like a zip/);
    expect(await refused(zip({ 'a.txt': new Uint8Array(9) }))).toMatch(/MISSING_FILE zip .*config\.json/);
    expect(await refused(zip(marian).subarray(0, -30))).toMatch(/INVALID_FILE zip/);
    expect(await refused(zip({ '../model.xxyy.bin': marian[model] }))).toMatch(/INVALID_FILE \.\.\/model\.xxyy\.bin/);
    const wrong = { crc: (name, crc) => (name === model ? crc ^ 1 : crc) };
    expect(await refused(zip(marian, wrong))).toMatch(/INVALID_FILE model\.xxyy\.bin .*checksum/);
    expect(await refused(zip(marian, { ...wrong, deflate: true }))).toMatch(/INVALID_FILE model\.xxyy\.bin/);
    const less = { deflate: true, size: (name, size) => (name === model ? 100 : size) };
    expect(await refused(zip(marian, less))).toMatch(/INVALID_FILE model\.xxyy\.bin/);
    expect(await refused(zip(marian, { place: () => 0 }))).toMatch(/INVALID_FILE zip .*two of its files overlap/);
    expect(await refused(zip(marian, { place: (_, place) => place + 5e6 }))).toMatch(/INVALID_FILE/);
    const bomb = Object.fromEntries(['a', 'b'].map((n) => [`model.${n}.bin`, new Uint8Array(40 << 20)]));
    expect(await refused(zip(bomb, { deflate: true }))).toMatch(/LIMIT_EXCEEDED zip .*would unpack to 83886080 bytes/);
    const both = { 'a.zip': zip(marian), 'b.zip': zip(marian) };
    expect(await refused({ files: both })).toMatch(/INVALID_ARGUMENT model .*a\.zip and other files/);
    expect(await translates(zip(marian))).toBe(await translates({ files: marian }));
  });
});

describe('zstd', () => {
  test('is unpacked to the original bytes', async () => {
    for (const [name, bytes] of Object.entries(zstd)) {
      const plain = marian[name.replace('.zst', '')];
      expect(Buffer.compare(await unzstd(bytes, name), plain)).toBe(0);
      expect(sizeBound(bytes)).toBeGreaterThanOrEqual(plain.length);
    }
    const error = await rejection(create({ model: { files: { ...zstd, 'model.xxyy.bin.zst': new Uint8Array(9) } } }));
    expect([error.code, error.where]).toEqual(['INVALID_FILE', 'model.xxyy.bin.zst']);
    expect(await translates({ files: zstd })).toBe(await translates({ files: marian }));
    const files = Object.entries(zstd).map(([name, bytes]) => new File([bytes], name));
    expect(await translates(files, { worker: true })).toBe(await translates({ files: marian }));
  });

  /** A frame with a window descriptor and one block, which holds its bytes or one repeated byte. */
  const frame = (window, type, size, body) =>
    Uint8Array.of(
      0x28,
      0xb5,
      0x2f,
      0xfd,
      0,
      window,
      1 | (type << 1) | ((size << 3) & 0xff),
      size >> 5,
      size >> 13,
      ...body,
    );

  test('may have several frames and skippable frames', async () => {
    const two = [...frame(0, 0, 3, [65, 66, 67]), ...frame(0, 1, 5, [68])];
    const skipped = [0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9];
    expect(Buffer.from(await unzstd(Uint8Array.from([...two, ...skipped]), 'a')).toString()).toBe('ABCDDDDD');
  });

  test('that is damaged or would fill the memory is an error', async () => {
    const result = (bytes) => unzstd(bytes, 'model.zst').catch((error) => error);
    const whole = zstd['model.xxyy.bin.zst'];
    for (const length of [0, 3, 5, 9, 100, whole.length - 1]) {
      expect(await result(whole.subarray(0, length))).toHaveProperty('code', 'INVALID_FILE');
    }
    expect(await result(Uint8Array.from([...whole, 0]))).toHaveProperty('code', 'INVALID_FILE');
    expect(await result(gzipSync(whole))).toHaveProperty('code', 'INVALID_FILE');
    expect(await result(frame(0xf8, 0, 1, [65]))).toHaveProperty('code', 'LIMIT_EXCEEDED'); // a window of 2 TB
    const bombs = Array.from({ length: 600 }, () => [...frame(0, 1, 131_072, [0])]).flat();
    expect(await result(Uint8Array.from(bombs))).toHaveProperty('code', 'LIMIT_EXCEEDED');
    // Flipped bits give an error or other bytes, and never more bytes than the headers claim.
    const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    let seed = 7;
    for (let i = 0; i < 300; i++) {
      const flipped = whole.slice();
      flipped[random(flipped.length)] ^= 1 << random(8);
      const got = await result(flipped);
      if ('code' in got) expect(got.code).toMatch(/^(INVALID_FILE|LIMIT_EXCEEDED)$/);
      else expect(got.length).toBeLessThanOrEqual(sizeBound(flipped));
    }
  });
});
