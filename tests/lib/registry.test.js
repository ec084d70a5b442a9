// Lists of models, as Mozilla publishes them and as a site writes its own: how they are read, which files are fetched,
// what is checked.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Translator, registry } from '../../web/lib/index.js';
import { Sha256 } from '../../web/lib/store/sha256.js';
import { listen } from '../servers.js';
import { at, create, rejection } from './support.js';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const read = (folder, pattern) =>
  Object.fromEntries(
    readdirSync(at(folder))
      .filter((name) => pattern.test(name))
      .map((name) => [name, new Uint8Array(readFileSync(join(at(folder), name)))]),
  );
const packed = read('tests/goldens/marian/ssru-int8', /^(model|lex|vocab)\./);
const zstd = read('tests/goldens/zstd', /\.zst$/);
const french = read('web/models/en-fr', /^(config|generation_config|vocab)\.json$|spm$|safetensors$/);
const model = 'model.xxyy.bin.gz';

/** An entry as in Mozilla's list: sizes and a hash of the unpacked weights only. */
const mozillas = (from, to, more) => ({
  architecture: 'tiny',
  releaseStatus: 'Release',
  sourceLanguage: from,
  targetLanguage: to,
  files: {
    model: {
      path: `models/${from}-${to}/${model}`,
      uncompressedSize: gunzipSync(packed[model]).length,
      uncompressedHash: sha256(gunzipSync(packed[model])),
    },
    lexicalShortlist: { path: `models/${from}-${to}/lex.xxyy.s2t.bin.gz` },
    vocab: { path: `models/${from}-${to}/vocab.xxyy.spm.gz` },
    qualityModel: null,
  },
  metrics: { 'flores200-plus': { bleu: 48.5 } },
  ...more,
});
const list = (models, more) => ({ generated: '2026-01-01T00:00:00Z', models, ...more });

/** Serves `files` by their paths; the list is at /db/models.json. */
async function served(content, files, run) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    const bytes = request.url === '/db/models.json' ? JSON.stringify(content(base)) : files(request.url);
    if (bytes === undefined) response.writeHead(404).end('nothing here');
    else response.writeHead(200).end(bytes);
  });
  const { port, close } = await listen(server);
  const base = `http://127.0.0.1:${port}`;
  try {
    return await run(`${base}/db/models.json`, requests);
  } finally {
    await close();
  }
}
const published = (path) => packed[path.split('/').at(-1)];
const translated = async (translator) => {
  const text = await translator.translate('It is raining.', { shortlist: false, split: false, copy: false });
  translator.destroy();
  return text;
};

test('SHA-256 is Node’s, however the bytes come', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 1000, 70_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * i) >> 3);
    const sum = new Sha256();
    for (let i = 0; i < length; i += 37) sum.add(bytes.subarray(i, i + 37));
    expect(sum.digest()).toBe(sha256(bytes));
  }
});

test('lists pairs with sizes, versions and licences, and fetches the list alone', async () => {
  const content = (baseUrl) =>
    list(
      {
        'en-fr': [mozillas('en', 'fr', { releaseStatus: 'Nightly', architecture: 'base' }), mozillas('en', 'fr')],
        'en-zh_hant': [mozillas('en', 'zh_hant', { version: '1.1', license: 'MPL-2.0' })],
      },
      { baseUrl },
    );
  await served(content, published, async (url, requests) => {
    const known = await registry(url);
    expect(requests).toEqual(['/db/models.json']);
    expect(known.models).toHaveLength(3);
    const [nightly, release, chinese] = known.models;
    expect(nightly).toMatchObject({ architecture: 'base', status: 'Nightly', version: '', license: '' });
    expect(release.bytes).toBe(gunzipSync(packed[model]).length);
    expect(release.files.map(({ name }) => name).toSorted()).toEqual(Object.keys(packed).toSorted());
    expect(release.files[0].url).toBe(new URL(`/models/en-fr/${model}`, url).href);
    expect(release.metrics).toEqual({ 'flores200-plus': { bleu: 48.5 } });
    expect(chinese).toMatchObject({ targetLanguage: 'zh-Hant', version: '1.1', license: 'MPL-2.0' });
    expect(known.find({ sourceLanguage: 'en-GB', targetLanguage: 'fr' })).toBe(release);
    expect(known.find({ sourceLanguage: 'en', targetLanguage: 'fr', architecture: 'base' })).toBe(nightly);
    expect(known.find({ sourceLanguage: 'en', targetLanguage: 'zh' })).toBe(null);
    const how = { sourceLanguage: 'en', targetLanguage: 'fr', registry: known };
    expect(await Translator.availability(how)).toBe('downloadable');
    expect(requests).toEqual(['/db/models.json']);
    const translator = await Translator.create(how);
    expect(translator.info.name).toBe('en-fr');
    expect(await Translator.availability(how)).toBe('available');
    const expected = await translated(await create({ model: at('tests/goldens/marian/ssru-int8') }));
    expect(await translated(translator)).toBe(expected);
    expect(requests).toHaveLength(4);
    expect(await translated(await Translator.create({ ...how, registry: url, worker: true }))).toBe(expected);
  });
});

test('without a model for a pair, two models translate through English, or through another language', async () => {
  const models = {
    'de-en': [mozillas('de', 'en')],
    'en-fr': [mozillas('en', 'fr')],
    'de-pl': [mozillas('de', 'pl')],
    'pl-cs': [mozillas('pl', 'cs')],
  };
  await served(
    () => list(models, { baseUrl: '/' }),
    published,
    async (url, requests) => {
      const known = await registry(url);
      const route = (from, to) =>
        known.route({ sourceLanguage: from, targetLanguage: to }).map((leg) => leg.targetLanguage);
      expect(route('de', 'en')).toEqual(['en']);
      expect(route('de', 'fr')).toEqual(['en', 'fr']);
      expect(route('de', 'cs')).toEqual(['pl', 'cs']);
      expect(route('fr', 'de')).toEqual([]);
      const reports = [];
      const monitor = (events) => events.addEventListener('downloadprogress', ({ loaded }) => reports.push(loaded));
      const both = await Translator.create({ sourceLanguage: 'de', targetLanguage: 'fr', registry: url, monitor });
      expect(both.info.name).toBe('de-en + en-fr');
      expect(typeof (await translated(both))).toBe('string');
      expect([reports[0], reports.at(-1)]).toEqual([0, 1]);
      expect(reports).toEqual(reports.toSorted((a, b) => a - b));
      expect(requests).toHaveLength(2 + 6);
      const none = { sourceLanguage: 'fr', targetLanguage: 'de', registry: known };
      expect(await Translator.availability(none)).toBe('unavailable');
      const error = await rejection(Translator.create(none));
      expect([error.name, error.cause.where]).toEqual(['NotSupportedError', 'registry']);
    },
  );
});

test('a list of the caller may have hashes of every file, folders in our layout, zstd, absolute and relative URLs', async () => {
  const files = (folder, all) =>
    Object.fromEntries(
      Object.entries(all).map(([name, bytes], i) => [
        i,
        { path: `${folder}${name}`, size: bytes.length, hash: sha256(bytes).toUpperCase() },
      ]),
    );
  const everything = { ...french, ...zstd };
  const models = (base) => ({
    mine: [
      { sourceLanguage: 'en', targetLanguage: 'fr', license: 'Apache-2.0', files: files('../models/fr/', french) },
      { sourceLanguage: 'en', targetLanguage: 'cs', files: files(`${base}/models/cs/`, zstd) },
    ],
  });
  const find = (path) => everything[path.split('/').at(-1)];
  await served(
    (base) => list(models(base)),
    find,
    async (url) => {
      const how = { sourceLanguage: 'en', targetLanguage: 'fr', registry: url };
      const translator = await Translator.create(how);
      expect(await translator.translate('I love you.')).toBe("Je t'aime.");
      translator.destroy();
      const czech = await translated(await Translator.create({ ...how, targetLanguage: 'cs' }));
      expect(czech).toBe(await translated(await create({ model: at('tests/goldens/marian/ssru-int8') })));
      const whole = JSON.parse(JSON.stringify(list(models(new URL(url).origin))));
      for (const model of whole.models.mine)
        for (const file of Object.values(model.files)) file.path = new URL(file.path, url).href;
      const given = await Translator.create({ ...how, registry: whole });
      expect(given.info.name).toBe('en-fr');
      given.destroy();
    },
  );
});

test('a file that the server unpacked is checked against the hash of the unpacked file', async () => {
  const plain = (path) => published(path) && gunzipSync(published(path));
  const one = mozillas('en', 'fr');
  const how = { sourceLanguage: 'en', targetLanguage: 'fr' };
  await served(
    () => list({ 'en-fr': [one] }, { baseUrl: '/' }),
    plain,
    async (url) => {
      expect(typeof (await translated(await Translator.create({ ...how, registry: url })))).toBe('string');
    },
  );
});

test('a file with another hash is an error with both hashes, and the next one loads', async () => {
  const other = gunzipSync(packed[model]);
  other[other.length - 400] ^= 1;
  const how = { sourceLanguage: 'en', targetLanguage: 'fr' };
  const content = () => list({ 'en-fr': [mozillas('en', 'fr')] }, { baseUrl: '/' });
  for (const wrong of [gzipSync(other), other, gzipSync(other.subarray(0, 9000))]) {
    await served(
      content,
      (path) => (path.endsWith(model) ? wrong : published(path)),
      async (url) => {
        const error = await rejection(Translator.create({ ...how, registry: url }));
        expect(error).toMatchObject({ name: 'QkvError', code: 'INVALID_FILE', where: model });
        expect(error.message).toMatch(
          /not the file that the registry lists: its SHA-256 is [\da-f]{64} instead|bytes instead/,
        );
      },
    );
  }
  await served(
    content,
    () => undefined,
    async (url) => {
      expect((await rejection(Translator.create({ ...how, registry: url }))).name).toBe('NetworkError');
    },
  );
  await served(content, published, async (url) => {
    expect(typeof (await translated(await Translator.create({ ...how, registry: url })))).toBe('string');
  });
});

test.each([
  ['[]', /not a list of models/],
  ['null', /not a list of models/],
  ['{', /not JSON/],
  ['{"models": {"en-fr": 7}}', /models\.en-fr is not a list/],
  ['{"models": {"en-fr": [null]}}', /models\.en-fr\[0\] has no files/],
  ['{"models": {"en-fr": [{"files": {}}]}}', /has no files/],
  [
    '{"models": {"en-fr": [{"sourceLanguage": "en", "files": {"model": {"path": "https://a.example/a"}}}]}}',
    /targetLanguage/,
  ],
  [
    '{"models": {"a": [{"sourceLanguage": "en", "targetLanguage": "?", "files": {"m": {"path": "https://a.example/a"}}}]}}',
    /not a language/,
  ],
  ['{"models": {"a": [{"files": {"m": {"path": 3}}}]}}', /files\.m has no path/],
  ['{"models": {"a": [{"files": {"m": {"path": "a", "hash": "xyz"}}}]}}', /not a SHA-256/],
  ['{"models": {"a": [{"files": {"m": {"path": "a", "size": -1}}}]}}', /not a size/],
  ['{"models": {"a": [{"files": {"m": {"path": "https://a b:c"}}}]}}', /not a URL/],
  ['{"baseUrl": 3, "models": {}}', /baseUrl/],
])('an invalid list is refused: %s', async (text, message) => {
  const error = await rejection(registry(`data:application/json,${encodeURIComponent(text)}`));
  expect([error.name, error.code, error.where]).toEqual(['QkvError', 'INVALID_FILE', 'registry']);
  expect(error.message).toMatch(message);
});

test('a registry is a URL or an object, and cannot be combined with a model', async () => {
  const how = { sourceLanguage: 'en', targetLanguage: 'fr' };
  expect(await rejection(registry(7))).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'registry' });
  const both = await rejection(Translator.create({ ...how, registry: list({}), model: at('web/models/en-fr') }));
  expect(both).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'registry' });
});
