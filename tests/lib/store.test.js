// Models that are kept for the next visit: which requests the server gets, interrupted downloads, hashes, and hostile
// stores and manifests. Node has a store in memory; tests/web tests the browsers' stores.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { Translator, languagePairs, models, registry } from '../../web/lib/index.js';
import { listen } from '../servers.js';
import { at, create, rejection, tinyFolder } from './support.js';

const french = at('web/models/en-fr');
const kText = 'I love you.';
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const filesOf = (folder) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => /^(config|vocab|generation_config)\.json$|\.spm$|\.safetensors$/.test(name))
      .map((name) => [name, readFileSync(`${folder}/${name}`)]),
  );
const manifestOf = (files) => {
  const entries = Object.entries(files).map(([name, bytes]) => [name, { size: bytes.length, sha256: sha256(bytes) }]);
  return Buffer.from(JSON.stringify({ files: Object.fromEntries(entries) }));
};

/** A store in memory that counts the calls of each method. */
class MemoryStore {
  entries = new Map();
  async match(url) {
    const entry = this.entries.get(url);
    return entry && new Response(entry.body, { headers: entry.headers });
  }
  async put(url, response) {
    this.entries.set(url, { body: await response.blob(), headers: [...response.headers] });
  }
  async delete(url) {
    return this.entries.delete(url);
  }
  async keys() {
    return Array.from(this.entries.keys(), (url) => ({ url }));
  }
}

/**
 * Serves files while `use` runs, with ETags and ranges as servers do. `answer(request, response, name)` may answer
 * instead, and returns true when it did.
 */
async function served(files, use, { answer = () => false, hasRanges = true } = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    const name = request.url.split('/').at(-1);
    const { range, 'if-range': ifRange } = request.headers;
    requests.push({ name, method: request.method, range, ifRange });
    if (answer(request, response, name)) return;
    const bytes = files[name];
    if (!bytes) return response.writeHead(404).end('nothing here');
    const tag = `"${sha256(bytes).slice(0, 8)}"`;
    const first = hasRanges && range && (!ifRange || ifRange === tag) ? Number(/^bytes=(\d+)-$/.exec(range)[1]) : 0;
    const isPart = first > 0;
    const headers = { 'content-length': bytes.length - first, etag: tag, 'cache-control': 'no-store' };
    if (isPart) headers['content-range'] = `bytes ${first}-${bytes.length - 1}/${bytes.length}`;
    response.writeHead(isPart ? 206 : 200, headers).end(bytes.subarray(first));
  });
  const { port, close } = await listen(server);
  try {
    return await use(`http://127.0.0.1:${port}/model/`, requests, close);
  } finally {
    await close();
  }
}

/** Loads a model, and waits until it is stored. */
async function kept(options) {
  await models.preload({ sourceLanguage: 'en', targetLanguage: 'fr', ...options });
}

async function translated(options) {
  const translator = await create(options);
  const text = await translator.translate(kText);
  translator.destroy();
  return text;
}

const names = (requests) => requests.splice(0).map(({ name }) => name);
const state = (options) => Translator.availability({ sourceLanguage: 'en', targetLanguage: 'fr', ...options });

describe('a model that is kept', () => {
  test.each([
    ['a folder with a manifest', { ...filesOf(tinyFolder), 'manifest.json': manifestOf(filesOf(tinyFolder)) }, ''],
    ['a folder without one', filesOf(tinyFolder), ''],
    ['a manifest', { ...filesOf(tinyFolder), 'manifest.json': manifestOf(filesOf(tinyFolder)) }, 'manifest.json'],
  ])('%s: the next visit asks the server for nothing, though it said no-store', async (_, files, path) => {
    await served(files, async (url, requests, close) => {
      const store = new MemoryStore();
      const options = { model: url + path, store };
      expect(await state(options)).toBe('downloadable');
      const first = await translated(options);
      await kept(options);
      expect(await state(options)).toBe('available');
      const asked = names(requests);
      expect(asked).toContain('model.safetensors');
      if (files['manifest.json']) expect(asked.toSorted()).toEqual(Object.keys(files).toSorted());
      expect(await translated(options)).toBe(first);
      expect(requests).toEqual([]);
      await close();
      expect(await translated(options)).toBe(first); // offline
      expect(await state({ model: url + path })).toBe('downloadable'); // without the store
    });
  });

  test('with hashes of files, as in a package: a new hash is another model, and the old one is removed', async () => {
    const files = filesOf(tinyFolder);
    await served(files, async (url, requests) => {
      const store = new MemoryStore();
      const urls = Object.fromEntries(Object.keys(files).map((name) => [name, url + name]));
      const packaged = () => ({
        name: 'en-fr',
        sourceLanguage: 'en',
        targetLanguage: 'fr',
        files: urls,
        sizes: {},
        hashes: Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, sha256(bytes)])),
      });
      await kept({ model: packaged(), store });
      expect(names(requests).toSorted()).toEqual(Object.keys(files).toSorted());
      await kept({ model: packaged(), store });
      expect(requests).toEqual([]);
      const before = store.entries.size;
      files['model.safetensors'] = Buffer.concat([files['model.safetensors'], Buffer.from(' ')]);
      expect(await state({ model: packaged(), store })).toBe('downloadable');
      await kept({ model: packaged(), store });
      expect(names(requests)).toEqual(['model.safetensors']);
      await new Promise((later) => setTimeout(later, 50));
      expect(store.entries.size).toBe(before);
    });
  });

  test('is listed and removed; a removed model is downloaded again', async () => {
    await served(filesOf(tinyFolder), async (url, requests) => {
      const store = new MemoryStore();
      const options = { model: url, store };
      await kept(options);
      const [model, ...others] = await models.list({ store });
      expect(others).toEqual([]);
      const bytes = Object.values(filesOf(tinyFolder)).reduce((sum, { length }) => sum + length, 0);
      expect(model).toMatchObject({ name: 'model', sourceLanguage: 'en', targetLanguage: 'fr', bytes });
      expect(Date.now() - model.date).toBeLessThan(60_000);
      expect(await models.remove({ sourceLanguage: 'de', store })).toBe(0);
      expect(await models.remove({ ...model, store })).toBe(1);
      expect([await models.list({ store }), store.entries.size]).toEqual([[], 0]);
      names(requests);
      await kept(options);
      expect(names(requests)).toContain('model.safetensors');
      expect(await models.remove({ sourceLanguage: 'en', targetLanguage: 'fr', store })).toBe(1);
      expect(await models.remove({ store })).toBe(0);
    });
  });

  test('may come from a registry', async () => {
    const files = filesOf(tinyFolder);
    await served(files, async (url, requests) => {
      const store = new MemoryStore();
      const listed = Object.fromEntries(
        Object.entries(files).map(([name, bytes]) => [name, { path: url + name, hash: sha256(bytes) }]),
      );
      const list = { models: { 'en-fr': [{ sourceLanguage: 'en', targetLanguage: 'fr', files: listed }] } };
      const options = { registry: await registry(list), store };
      await kept(options);
      expect(await state(options)).toBe('available');
      names(requests);
      await translated(options);
      expect(requests).toEqual([]);
    });
  });

  test('is checked by its manifest after a day: with the same hashes nothing is downloaded', async () => {
    const files = filesOf(tinyFolder);
    files['manifest.json'] = manifestOf(files);
    await served(files, async (url, requests) => {
      const store = new MemoryStore();
      const options = { model: url, store };
      await kept(options);
      const isRecord = (address) => address.includes('/model?');
      const age = async () => {
        const address = [...store.entries.keys()].find(isRecord);
        const record = await (await store.match(address)).json();
        await store.put(address, new Response(JSON.stringify({ ...record, date: record.date - 90_000_000 })));
      };
      await age();
      names(requests);
      await kept(options);
      expect(names(requests)).toEqual(['manifest.json']);
      const { 'manifest.json': _, ...others } = files;
      others['model.safetensors'] = Buffer.concat([others['model.safetensors'], Buffer.from(' ')]);
      Object.assign(files, others, { 'manifest.json': manifestOf(others) });
      await kept(options);
      expect(names(requests)).toEqual([]);
      const count = store.entries.size;
      await age();
      await kept(options);
      expect(names(requests)).toEqual(['manifest.json', 'model.safetensors']);
      await new Promise((later) => setTimeout(later, 50));
      expect(store.entries.size).toBe(count);
    });
  });
});

describe('a download that broke off', () => {
  const weights = 'model.safetensors';
  const kBreak = 3_000_000; // of 4.1 MB
  /** Sends only the beginning of the weights, once. */
  const breaking = (files) => {
    let isBroken = false;
    return (_, response, name) => {
      if (name !== weights || isBroken) return false;
      isBroken = true;
      const tag = `"${sha256(files[weights]).slice(0, 8)}"`;
      response.writeHead(200, { 'content-length': files[weights].length, etag: tag });
      response.write(files[weights].subarray(0, kBreak), () => setTimeout(() => response.destroy(), 100));
      return true;
    };
  };
  const files = filesOf(french);
  const withManifest = { ...files, 'manifest.json': manifestOf(files) };

  test.each([
    ['a folder', files],
    ['a folder with a manifest', withManifest],
  ])('%s goes on from there, by a range, on condition that the file is the same', async (_, content) => {
    await served(
      content,
      async (url, requests) => {
        const options = { model: url, store: new MemoryStore() };
        expect(await rejection(create(options))).toMatchObject({ name: 'NetworkError' });
        names(requests);
        expect(await translated(options)).toBe("Je t'aime.");
        const asked = requests.filter(({ name }) => files[name]);
        const [, begin] = /^bytes=(\d+)-$/.exec(asked.at(-1).range);
        expect(asked).toHaveLength(1);
        expect(asked[0].ifRange).toMatch(/^"\w+"$/);
        expect(Number(begin)).toBeGreaterThan(kBreak / 2);
        expect(Number(begin)).toBeLessThanOrEqual(kBreak);
      },
      { answer: breaking(files) },
    );
  });

  /** The first download breaks off; the second call has the right model all the same. */
  const translatesAfterBreak = (server) =>
    served(
      files,
      async (url) => {
        const options = { model: url, store: new MemoryStore() };
        await rejection(create(options));
        expect(await translated(options)).toBe("Je t'aime.");
      },
      server,
    );

  test('a server that knows no ranges, and one whose file has changed, give the right model', async () => {
    const answer = breaking(files);
    await translatesAfterBreak({ answer, hasRanges: false });
    const changing = { ...files };
    await served(
      changing,
      async (url, requests) => {
        const store = new MemoryStore();
        await rejection(create({ model: url, store }));
        changing[weights] = Buffer.concat([files[weights], Buffer.from(' ')]);
        expect(await translated({ model: url, store })).toBe("Je t'aime.");
        await kept({ model: url, store });
        const [{ bytes }] = await models.list({ store });
        expect(bytes).toBe(Object.values(changing).reduce((sum, { length }) => sum + length, 0));
        expect(requests.filter(({ name }) => name === weights).length).toBe(2);
      },
      { answer: breaking(files) },
    );
  });

  test.each([416, 500])('a server that refuses the range with %d is asked for the whole file', async (status) => {
    const breaks = breaking(files);
    const answer = (request, response, name) =>
      request.headers.range ? !!response.writeHead(status).end() : breaks(request, response, name);
    await translatesAfterBreak({ answer });
  });

  test('a server that sends another range than requested is not trusted', async () => {
    const breaks = breaking(files);
    const tag = `"${sha256(files[weights]).slice(0, 8)}"`;
    const answer = (request, response, name) => {
      if (!request.headers.range) return breaks(request, response, name);
      response.writeHead(206, { etag: tag, 'content-range': `bytes 0-9/${files[weights].length}` });
      return !!response.end(files[weights].subarray(0, 10));
    };
    await translatesAfterBreak({ answer });
  });

  test('an abort keeps the bytes that have arrived', async () => {
    const controller = new AbortController();
    const answer = (request, response, name) => {
      if (name !== weights || request.headers.range) return false;
      const tag = `"${sha256(files[weights]).slice(0, 8)}"`;
      response.writeHead(200, { 'content-length': files[weights].length, etag: tag });
      response.write(files[weights].subarray(0, kBreak));
      return true;
    };
    await served(
      files,
      async (url, requests) => {
        const options = { model: url, store: new MemoryStore() };
        const abortLater = (download) =>
          download.addEventListener('downloadprogress', ({ loaded }) => loaded > 0.6 && controller.abort());
        const creating = create({ ...options, signal: controller.signal, monitor: abortLater });
        expect(await rejection(creating)).toBe(controller.signal.reason);
        await new Promise((later) => setTimeout(later, 100));
        names(requests);
        expect(await translated(options)).toBe("Je t'aime.");
        const [asked] = requests.filter(({ name }) => name === weights);
        expect(Number(/\d+/.exec(asked.range)[0])).toBeGreaterThan(kBreak / 2);
      },
      { answer },
    );
  });
});

describe('hostile stores', () => {
  const files = filesOf(tinyFolder);

  test.each(['match', 'put', 'delete', 'keys'])(
    'a store whose %s throws, rejects or never answers',
    async (method) => {
      const reject = () => Promise.reject(new Error('no'));
      const throws = () => {
        throw new Error('no');
      };
      const never = () => new Promise(() => {});
      await served({ ...files, 'manifest.json': manifestOf(files) }, async (url) => {
        const wanted = await translated({ model: url, store: false });
        for (const bad of [reject, throws, never]) {
          const store = Object.assign(new MemoryStore(), { [method]: bad });
          expect(await translated({ model: url, store })).toBe(wanted);
        }
      });
    },
    60_000,
  );

  test('a store that throws at every call; no store: nothing is kept, and that is reported where it was asked for', async () => {
    const throws = () => {
      throw new Error('no');
    };
    const store = { match: throws, put: throws, delete: throws, keys: throws };
    await served(files, async (url) => {
      const options = { sourceLanguage: 'en', targetLanguage: 'fr', model: url };
      expect(await translated({ ...options, store })).toBe(await translated(options));
      expect(await state({ ...options, store })).toBe('downloadable');
      expect(await rejection(models.preload(options))).toMatchObject({ code: 'UNSUPPORTED', where: 'store' });
      expect(await rejection(models.preload({ ...options, store: false }))).toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect([await models.list(), await models.remove(), await models.persist()]).toEqual([[], 0, false]);
    });
  });

  test('a full store: translation goes on, the written part is removed, and preload rejects', async () => {
    await served(filesOf(french), async (url) => {
      const store = new MemoryStore();
      store.put = async function (address, response) {
        if (this.entries.size >= 6) throw new DOMException('full', 'QuotaExceededError');
        await MemoryStore.prototype.put.call(this, address, response);
      };
      expect(await translated({ model: url, store })).toBe("Je t'aime.");
      await new Promise((later) => setTimeout(later, 50));
      expect([...store.entries.keys()]).toEqual([]);
      expect(await rejection(kept({ model: url, store }))).toMatchObject({ code: 'LIMIT_EXCEEDED', where: 'store' });
      expect(await state({ model: url, store })).toBe('downloadable');
    });
  }, 60_000);

  test('missing, truncated or foreign parts: the model is downloaded again, at the second try at the latest', async () => {
    await served(files, async (url, requests) => {
      const store = new MemoryStore();
      const options = { model: url, store };
      const wanted = await translated(options);
      await kept(options);
      const weights = [...store.entries.keys()].find((address) => decodeURIComponent(address).endsWith('safetensors'));
      const whole = store.entries.get(weights);
      store.entries.delete(weights);
      names(requests);
      expect(await translated(options)).toBe(wanted);
      expect(names(requests)).toEqual(['model.safetensors']);
      for (const body of [whole.body.slice(0, 100), new Blob(['<!doctype html>'])]) {
        store.entries.set(weights, { ...whole, body });
        expect(await rejection(create(options))).toMatchObject({ code: 'INVALID_FILE' });
        expect(await translated(options)).toBe(wanted);
        await kept(options);
      }
    });
  });

  const name = 'model.safetensors';
  const good = JSON.parse(manifestOf(files)).files;
  test.each([
    ['a wrong hash', { ...good, [name]: { sha256: '0'.repeat(64) } }, /SHA-256 is \w{64} instead of 0{64}/],
    ['a hash that is none', { ...good, [name]: { sha256: 'abc' } }, /not a list of files/],
    ['a path that leads out', { ...good, '../secret.json': { size: 1 } }, /not a list of files/],
    ['a path in it', { ...good, 'a/b.json': { size: 1 } }, /not a list of files/],
    ['a file that is null', { ...good, [name]: null }, /not a list of files/],
    [
      'too many',
      Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`f${i}`, { size: 1 }])),
      /not a list of files/,
    ],
  ])('a manifest with %s', async (_, listed, message) => {
    await served(
      { ...files, 'manifest.json': Buffer.from(JSON.stringify({ files: listed })) },
      async (url, requests) => {
        const store = new MemoryStore();
        for (const options of [{ store }, {}]) {
          const error = await rejection(create({ model: `${url}manifest.json`, ...options }));
          expect(error).toMatchObject({ code: 'INVALID_FILE', message: expect.stringMatching(message) });
        }
        await new Promise((later) => setTimeout(later, 50));
        expect((await models.list({ store })).length).toBe(0);
        expect(names(requests).filter((asked) => asked === 'secret.json')).toEqual([]);
      },
    );
  });

  test('in a folder, a file that is not a manifest counts as none; a huge one is an error', async () => {
    for (const text of ['{"name": "An app", "icons": []}', 'no JSON', '']) {
      await served({ ...files, 'manifest.json': Buffer.from(text) }, async (url) => {
        await kept({ model: url, store: new MemoryStore() });
      });
    }
    await served({ ...files, 'manifest.json': Buffer.alloc(65 << 20, ' ') }, async (url) => {
      const error = await rejection(create({ model: url, store: new MemoryStore() }));
      expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', where: 'manifest.json' });
    });
  });
});

describe('where models are', () => {
  test('the option models is a URL of a folder of folders, or a function of the pair', async () => {
    expect(languagePairs()).toContainEqual({ sourceLanguage: 'en', targetLanguage: 'fr' });
    await served(filesOf(french), async (url, requests) => {
      const base = url.replace(/model\/$/, '');
      expect(await translated({ models: base })).toBe("Je t'aime.");
      expect(await state({ models: base, targetLanguage: 'it' })).toBe('unavailable');
      const asked = [];
      const give = (pair) => {
        asked.push(pair);
        return pair.targetLanguage === 'it' ? url : undefined;
      };
      expect(await state({ models: give })).toBe('unavailable');
      expect(await state({ models: give, targetLanguage: 'it' })).toBe('downloadable');
      expect(await rejection(create({ models: give }))).toMatchObject({ name: 'NotSupportedError' });
      expect(asked[0]).toEqual({ sourceLanguage: 'en', targetLanguage: 'fr' });
      names(requests);
      expect(await translated({ models: give, targetLanguage: 'it' })).toBe("Je t'aime.");
      expect(names(requests)).toContain('model.safetensors');
    });
  });

  test('invalid options are refused', async () => {
    for (const store of ['yes', 1, {}]) {
      expect(await rejection(create({ store }))).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'store' });
    }
    expect(await rejection(create({ store: new MemoryStore(), worker: true }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      where: 'store',
    });
    expect(await rejection(create({ models: 5 }))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
