// A model folder with a shortlist: its translations use listed pieces only, unless the caller switches it off.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { create, readJson, rejection, serveFolder, tinyFolder } from './support.js';

const vocabulary = Object.values(readJson('tests/goldens/models/tiny-f32/vocab.json')).length;
const files = Object.fromEntries(
  readdirSync(tinyFolder)
    .filter((name) => /^(config|vocab|generation_config)\.json$|\.spm$|\.safetensors$/.test(name))
    .map((name) => [name, new Uint8Array(readFileSync(join(tinyFolder, name)))]),
);
const { translations } = readJson('tests/goldens/models/tiny-f32/translations.json');
const { source: kText, beam: kPlain } = translations.find(({ beam }) => Math.min(...beam.margins) > 1e-2);

/** Marian's binary shortlist in which </s>, row 0, has all the pieces. Every sentence ends with </s>. */
function shortlistOf(pieces, rows = vocabulary) {
  const file = new DataView(new ArrayBuffer(48 + 8 * (rows + 1) + 4 * pieces.length));
  const words = [0xf11a48d5013417f5n, 0n, 0n, 0n, BigInt(rows + 1), BigInt(pieces.length)];
  for (let row = 0; row <= rows; ++row) words.push(row === 0 ? 0n : BigInt(pieces.length));
  words.forEach((word, i) => file.setBigUint64(8 * i, word, true));
  pieces.forEach((piece, i) => file.setUint32(8 * words.length + 4 * i, piece, true));
  let sum = 0n;
  for (let at = 16; at + 8 <= file.byteLength; at += 8) {
    sum ^= BigInt.asUintN(64, file.getBigUint64(at, true) + 0x9e3779b9n + (sum << 6n) + (sum >> 2n));
  }
  file.setBigUint64(8, sum, true);
  return new Uint8Array(file.buffer);
}

const listed = Array.from({ length: Math.floor(vocabulary / 7) }, (_, i) => 7 * i + 3);
const model = (shortlist = shortlistOf(listed)) => ({ files: { ...files, 'shortlist.bin': shortlist } });

describe.each([
  ['in this thread', false],
  ['in a worker', true],
])('%s', (_, worker) => {
  let plain;
  let listing;
  beforeAll(async () => {
    plain = await create({ worker, model: tinyFolder });
    listing = await create({ worker, model: model() });
  });
  afterAll(() => [plain, listing].forEach((translator) => translator.destroy()));

  test('info says whether there is one', () => {
    expect([plain.info.shortlist, listing.info.shortlist]).toEqual([false, true]);
  });

  test('translations are made of its pieces, the source and </s>', async () => {
    const { source } = await listing.trace(kText);
    const allowed = new Set([0, ...listed, ...source.ids]);
    const { hypotheses } = await listing.search(kText, { beam: 4 });
    for (const { ids } of hypotheses) expect([...ids].filter((id) => !allowed.has(id))).toEqual([]);
    const translation = await listing.translate(kText, { split: false });
    expect(translation).not.toBe(kPlain.text);
    expect((await listing.search(kText)).hypotheses[0].text).toBe(translation);
    expect((await listing.trace(kText)).target.text).toBe(translation);
  });

  test('`shortlist: false` gives the results without a shortlist', async () => {
    const shortlist = false;
    expect(await listing.translate(kText, { shortlist, split: false })).toBe(kPlain.text);
    expect((await listing.translateParts(kText, { shortlist, split: false }))[0].translation).toBe(kPlain.text);
    expect((await listing.search(kText, { shortlist })).hypotheses[0]).toEqual(
      (await plain.search(kText)).hypotheses[0],
    );
    expect((await listing.trace(kText, { shortlist })).target).toEqual((await plain.trace(kText)).target);
    let streamed = '';
    for await (const part of listing.translateStreaming(kText, { shortlist })) streamed += part;
    expect(streamed).toBe(await plain.translate(kText));
  });

  test('a prefix may have any piece', async () => {
    const prefix = [...Array(10).keys()].map((i) => i + 4);
    const { hypotheses } = await listing.search(kText, { prefix });
    expect([...hypotheses[0].ids.slice(0, 10)]).toEqual(prefix);
  });

  test('scores and given pairs have the whole vocabulary', async () => {
    expect(await listing.score(kText, kPlain.text)).toEqual(await plain.score(kText, kPlain.text));
    const pair = { source: kText, target: kPlain.text };
    expect((await listing.trace(pair)).target).toEqual((await plain.trace(pair)).target);
  });
});

test('a shortlist is requested from a URL, and a folder without one is no error', async () => {
  for (const has of [true, false]) {
    const bytes = shortlistOf(listed);
    const server = await serveFolder(tinyFolder, (name, response) => {
      if (name !== 'shortlist.bin' || !has) return false;
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
      return true;
    });
    const translator = await create({ model: server.url });
    expect(translator.info.shortlist).toBe(has);
    expect(server.requests.filter((name) => name === 'shortlist.bin')).toHaveLength(1);
    translator.destroy();
    await server.close();
  }
});

test.each([
  ['is empty', new Uint8Array(), /is empty/],
  ['is cut', shortlistOf(listed).slice(0, -4), /promises another/],
  ['is of another model', shortlistOf(listed, vocabulary + 3), new RegExp(`${vocabulary + 3} pieces`)],
  ['lists what the vocabulary has not', shortlistOf([vocabulary]), /lists piece/],
  ['is text', new TextEncoder().encode('shortlist '.repeat(50)), /no binary shortlist/],
])('a shortlist that %s is an INVALID_FILE, and the engine works afterwards', async (_, bytes, says) => {
  const error = await rejection(create({ model: model(bytes) }));
  expect(error).toMatchObject({ name: 'QkvError', code: 'INVALID_FILE', where: 'shortlist.bin' });
  expect(error.message).toMatch(says);
  const translator = await create({ model: model() });
  expect(typeof (await translator.translate(kText))).toBe('string');
  translator.destroy();
});
