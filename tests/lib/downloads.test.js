// Downloads from servers as they exist: what a server answers for a missing file, what it sends instead, which headers
// it leaves out; and that each body is read to its end.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, openAsBlob, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadAttention } from '../../web/lib/attention/index.js';
import { inspect, load } from '../../web/lib/models/index.js';
import { Trainer } from '../../web/lib/train/index.js';
import { listen } from '../servers.js';
import { at, create, rejection, serveFolder, tinyFolder } from './support.js';

const folder = (name) => at(`tests/goldens/one-sided/${name}`);
const kPage = '<!doctype html><title>An app</title><script src="app.js"></script>';
const kPointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n';
const kFiles = /^(config|vocab|generation_config)\.json$|\.spm$|\.safetensors$/;
const tinyFiles = readdirSync(tinyFolder).filter((name) => kFiles.test(name));

/** Serves a folder while `use` runs; `answer` as `serveFolder` has it. */
async function served(path, answer, use) {
  const server = await serveFolder(path, answer);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

/** Loads a folder from a server, with the function for that kind of folder. */
async function loads(entry, path, answer) {
  await served(path, answer, async ({ url }) => (await entry(url)).destroy());
}
const translator = (url, options) => create({ model: url, ...options });

describe('a file that a folder may lack', () => {
  const says = (status, body = '?') => [`${status} ${body.slice(0, 5)}`, status, body];
  const kAbsent = [says(400), says(401), says(403), says(404), says(405), says(410), says(200, kPage)];

  test.each(kAbsent)('counts as absent where the server says %s', async (_, status, body) => {
    const isOptional = /generation|target\.spm|shortlist|\.bin|tokenizer_config/;
    const absent = (name, response) => isOptional.test(name) && !!response.writeHead(status).end(body);
    await loads(translator, tinyFolder, absent);
    await loads(load, tinyFolder, absent);
    await loads(load, folder('gpt2'), absent);
    const one = (name, response) => name === 'model.safetensors' && !!response.writeHead(status).end(body);
    await loads(load, folder('bert-answer'), one); // it has an index and shards
  });

  test('is an error if it may exist later, or if its download breaks off', async () => {
    for (const status of [408, 429, 500, 503]) {
      const busy = (name, response) => name === 'target.spm' && !!response.writeHead(status).end();
      const error = await served(tinyFolder, busy, ({ url }) => rejection(translator(url)));
      expect(error).toMatchObject({ name: 'NetworkError', message: expect.stringMatching(`target.spm.*${status}`) });
    }
    const breaks = (name, response) => {
      if (name !== 'generation_config.json') return false;
      response.writeHead(200, { 'content-length': 100 });
      return response.write('{', () => setTimeout(() => response.destroy(), 20));
    };
    const error = await served(tinyFolder, breaks, ({ url }) => rejection(translator(url)));
    expect(error).toMatchObject({
      name: 'NetworkError',
      message: expect.stringMatching(/generation_config\.json.*after 1 of 100 bytes/),
    });
  });

  test('is an error if a list of files names it', async () => {
    const refused = (name, response) => name === 'generation_config.json' && !!response.writeHead(403).end();
    const error = await served(tinyFolder, refused, ({ url }) =>
      rejection(create({ model: { files: Object.fromEntries(tinyFiles.map((name) => [name, url + name])) } })),
    );
    expect(error).toMatchObject({ name: 'NetworkError', message: expect.stringMatching(/generation_config.*403/) });
  });
});

describe('in the place of a file', () => {
  test.each(tinyFiles.filter((name) => !/generation/.test(name)))('a page for %s: the error says so', async (name) => {
    const page = (asked, response) => asked === name && !!response.writeHead(200).end(kPage);
    for (const entry of [translator, load]) {
      const error = await served(tinyFolder, page, ({ url }) => rejection(entry(url)));
      expect(error).toMatchObject({ code: 'INVALID_FILE', where: name, message: expect.stringContaining('HTML page') });
      expect(error.message).toContain('/model/');
    }
  });

  test.each(tinyFiles)(
    'a pointer of Git LFS for %s: the error says so, from a server and from a disk',
    async (name) => {
      const pointer = (asked, response) => asked === name && !!response.writeHead(200).end(kPointer);
      const expected = {
        code: 'INVALID_FILE',
        where: name,
        message: expect.stringMatching(/pointer of Git LFS.*pull/),
      };
      for (const entry of [translator, load]) {
        expect(await served(tinyFolder, pointer, ({ url }) => rejection(entry(url)))).toMatchObject(expected);
        const copy = mkdtempSync(join(tmpdir(), 'qkv-'));
        cpSync(tinyFolder, copy, { recursive: true });
        writeFileSync(join(copy, name), kPointer);
        expect(await rejection(entry(copy))).toMatchObject(expected);
        rmSync(copy, { recursive: true });
      }
    },
  );

  test('a page or a pointer for the engine: the error says so', async () => {
    for (const [body, says] of [
      [kPage, 'HTML page'],
      [kPointer, 'Git LFS'],
    ]) {
      const answer = (_, response) => !!response.writeHead(200).end(body);
      const error = await served('', answer, ({ url }) => rejection(loadAttention({ wasm: `${url}qkv.wasm` })));
      expect(error).toMatchObject({ code: 'INVALID_FILE', message: expect.stringContaining(says) });
    }
  });

  test('a directory: the error says so, from every entry point', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'qkv-'));
    cpSync(tinyFolder, copy, { recursive: true });
    rmSync(join(copy, 'vocab.json'));
    mkdirSync(join(copy, 'vocab.json'));
    mkdirSync(join(copy, 'a.zip'));
    mkdirSync(join(copy, 'a.wasm'));
    const wasm = join(copy, 'a.wasm');
    for (const call of [
      () => create({ model: copy }),
      () => load(copy),
      () => load(join(copy, 'a.zip')),
      () => create({ wasm }),
      () => loadAttention({ wasm }),
      () => Trainer.create({ pairs: [['ab', 'ba']], wasm }),
    ]) {
      const error = await rejection(call());
      expect(error).toMatchObject({ name: 'QkvError', code: 'INVALID_FILE' });
      expect(error.message).toMatch(/is a directory/);
    }
    rmSync(copy, { recursive: true });
  });

  test('a pipe: the error says so, and nothing waits for it', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'qkv-'));
    cpSync(tinyFolder, copy, { recursive: true });
    rmSync(join(copy, 'vocab.json'));
    execFileSync('mkfifo', [join(copy, 'vocab.json')]);
    expect(await rejection(create({ model: copy }))).toMatchObject({ code: 'INVALID_FILE', where: 'vocab.json' });
    rmSync(copy, { recursive: true });
  });
});

describe('a length', () => {
  const weights = readFileSync(join(tinyFolder, 'model.safetensors'));

  test('shorter than the body is an error with both lengths and their source', async () => {
    const half = weights.length >> 1;
    // Node's own server refuses to write more than it announced.
    const server = createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .once('data', (data) => {
          const name = /\/model\/(\S+)/.exec(String(data))[1];
          const body = tinyFiles.includes(name) ? readFileSync(join(tinyFolder, name)) : null;
          const length = name === 'model.safetensors' ? half : body?.length;
          const head = body ? `200 OK\r\ncontent-length: ${length}` : '404 Not Found\r\ncontent-length: 0';
          socket.write(`HTTP/1.1 ${head}\r\nconnection: close\r\n\r\n`);
          socket.end(body ?? '');
        }),
    );
    const { port, close } = await listen(server);
    const url = `http://127.0.0.1:${port}/model/`;
    const error = await rejection(translator(url));
    await close();
    expect(error).toMatchObject({ code: 'INVALID_FILE', where: expect.stringContaining('model.safetensors') });
    expect(error.message).toMatch(new RegExp(`ends after ${half} bytes.*${weights.length} bytes.*Content-Length`));
  });

  test('longer than the body is a NetworkError with both lengths', async () => {
    const breaks = (name, response) => {
      if (name !== 'model.safetensors') return false;
      response.writeHead(200, { 'content-length': weights.length });
      return response.write(weights.subarray(0, 9000), () => setTimeout(() => response.destroy(), 50));
    };
    const error = await served(tinyFolder, breaks, ({ url }) => rejection(translator(url)));
    expect(error).toMatchObject({ name: 'NetworkError' });
    expect(error.message).toMatch(`after 9000 of ${weights.length} bytes`);
  });
});

describe('progress', () => {
  async function reports(entry, url, seen = []) {
    const monitor = (m) => m.addEventListener('downloadprogress', ({ loaded }) => seen.push(loaded));
    (await entry(url, { monitor })).destroy();
    return seen;
  }
  const path = at('web/models/en-fr');
  const moves = (seen) => {
    expect([seen[0], seen.at(-1)]).toEqual([0, 1]);
    expect(seen.every((loaded, i) => i === 0 || loaded > seen[i - 1])).toBe(true);
    expect(seen.filter((loaded) => loaded > 0.1 && loaded < 0.95).length).toBeGreaterThan(10);
  };

  test('grows while compressed bytes arrive', async () => {
    const gzipped = (name, response) => {
      const body = readdirSync(path).includes(name) ? gzipSync(readFileSync(join(path, name)), { level: 1 }) : null;
      if (!body) return false;
      const headers = { 'content-encoding': 'gzip', 'content-length': body.length };
      return !!response.writeHead(200, headers).end(body);
    };
    await served(path, gzipped, async ({ url }) => moves(await reports(translator, url)));
    await served(path, gzipped, async ({ url }) => moves(await reports(load, url)));
  });

  test('grows over HTTP/1.0, which reports no length', async () => {
    const server = createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .once('data', (data) => {
          const name = /\/model\/(\S+)/.exec(String(data))[1];
          const body = readdirSync(path).includes(name) ? readFileSync(join(path, name)) : null;
          socket.write(`HTTP/1.0 ${body ? '200 OK' : '404 Not Found'}\r\n\r\n`);
          socket.end(body ?? '');
        }),
    );
    const { port, close } = await listen(server);
    moves(await reports(translator, `http://127.0.0.1:${port}/model/`));
    await close();
  });

  test('grows while a pickle of PyTorch arrives, and ends with 1', async () => {
    const pickled = folder('gpt2-untied');
    const seen = [];
    let early = 0; // progress was reported before all bytes were there
    const slowly = async (response, bytes) => {
      response.writeHead(200, { 'content-length': bytes.length });
      for (let begin = 0; begin < bytes.length; begin += 500) {
        early = seen.length;
        response.write(bytes.subarray(begin, begin + 500));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      response.end();
    };
    const slow = (name, response) => {
      if (name !== 'pytorch_model.bin') return false;
      slowly(response, readFileSync(join(pickled, name)));
      return true;
    };
    await served(pickled, slow, async ({ url }) => moves(await reports(load, url, seen)));
    expect(early).toBeGreaterThan(10);
  });
});

test('a body is read to its end, so that a browser keeps it for the next visit', async () => {
  for (const entry of [translator, load]) {
    const ended = {};
    const server = createServer((request, response) => {
      const name = request.url.split('/').at(-1);
      if (!tinyFiles.includes(name)) return response.writeHead(404).end();
      response.writeHead(200); // no length: chunks
      response.write(readFileSync(join(tinyFolder, name)));
      setTimeout(() => response.end(), 100); // all bytes have arrived, but the body has not ended
      response.on('close', () => (ended[name] = response.writableFinished));
    });
    const { port, close } = await listen(server);
    (await entry(`http://127.0.0.1:${port}/model/`)).destroy();
    await close();
    expect(ended).toEqual(Object.fromEntries(tinyFiles.map((name) => [name, true])));
  }
});

test('a config with a NUL after its end is refused by every entry point', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'qkv-'));
  cpSync(tinyFolder, copy, { recursive: true });
  writeFileSync(join(copy, 'config.json'), Buffer.concat([readFileSync(join(copy, 'config.json')), Buffer.alloc(3)]));
  for (const call of [() => create({ model: copy }), () => load(copy), () => inspect(copy)]) {
    const error = await rejection(call());
    expect(error).toMatchObject({ name: 'QkvError', code: 'INVALID_FILE', where: 'config.json' });
    expect(error.message).toMatch(/NUL/);
  }
  const qkv = () => execFileSync(at('build/native/qkv'), ['inspect', '-m', copy], { stdio: 'pipe' });
  expect(qkv).toThrow(/INVALID_FILE.*NUL/);
  rmSync(copy, { recursive: true });
});

test('a folder of many files loads in a worker too', async () => {
  const loaded = await load(tinyFolder, { worker: true });
  expect(loaded.info.worker).toBe(true);
  loaded.destroy();
}, 20_000);

test('each file is requested once', async () => {
  for (const [entry, path] of [
    [translator, tinyFolder],
    [load, tinyFolder],
    [load, folder('gpt2')],
  ]) {
    await served(path, undefined, async ({ url, requests }) => {
      (await entry(url)).destroy();
      expect(requests.toSorted()).toEqual([...new Set(requests)].toSorted());
    });
  }
});

describe('the manifest of a folder', () => {
  const path = at('web/models/en-fr');

  test('lists the files, and no other file is requested', async () => {
    const { files } = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8'));
    for (const entry of [translator, load]) {
      await served(path, undefined, async ({ url, requests }) => {
        const loaded = await entry(`${url}manifest.json`);
        expect(loaded.info.name).toBe('model');
        loaded.destroy();
        expect(requests.toSorted()).toEqual(['manifest.json', ...Object.keys(files)].toSorted());
      });
    }
  });

  test('is a list of files of that folder', async () => {
    for (const bad of ['[]', '{', '{"files": {"../config.json": 1}}', '{"files": {"https://a.example/b": 1}}']) {
      const wrong = (name, response) => name === 'manifest.json' && !!response.writeHead(200).end(bad);
      for (const entry of [translator, load]) {
        const error = await served(path, wrong, ({ url }) => rejection(entry(`${url}manifest.json`)));
        expect(error).toMatchObject({ name: 'QkvError', code: 'INVALID_FILE', where: 'manifest.json' });
      }
    }
  });
});

test('a chosen file that has changed is an error that says so', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'qkv-'));
  cpSync(tinyFolder, copy, { recursive: true });
  const files = Object.fromEntries(
    await Promise.all(tinyFiles.map(async (name) => [name, await openAsBlob(join(copy, name))])),
  );
  writeFileSync(join(copy, 'vocab.json'), 'something else');
  for (const entry of [translator, load]) {
    const error = await rejection(entry({ files }));
    expect(error).toMatchObject({ name: 'QkvError', code: 'MISSING_FILE', where: 'vocab.json' });
    expect(error.message).toMatch(/changed, or removed/);
  }
  rmSync(copy, { recursive: true });
});

test('several workers download the model and the engine once, and share them', async () => {
  const wasm = readFileSync(at('build/wasm/baseline/qkv.wasm'));
  const text = Array.from({ length: 200 }, (_, i) => `There are ${i} trees.`).join(' ');
  const engine = (name, response) =>
    name === 'qkv.wasm' && !!response.writeHead(200, { 'content-type': 'application/wasm' }).end(wasm);
  await served(tinyFolder, engine, async ({ url, requests }) => {
    const options = { model: url, worker: true, wasm: `${url}qkv.wasm` };
    const several = await create({ ...options, workers: 3 });
    const translated = await several.translate(text);
    const size = await several.memoryBytes();
    several.destroy();
    expect(requests.toSorted()).toEqual([...new Set(requests)].toSorted());
    expect(requests).toEqual(expect.arrayContaining([...tinyFiles, 'qkv.wasm']));
    // The compiled engine is kept, so one worker alone does not ask for it again.
    requests.length = 0;
    const one = await create(options);
    expect(await one.translate(text)).toBe(translated);
    expect(size).toBeGreaterThan(2.5 * (await one.memoryBytes())); // all three had arrived
    one.destroy();
    expect(requests).not.toContain('qkv.wasm');
  });
});
