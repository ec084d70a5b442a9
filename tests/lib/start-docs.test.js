// The examples of the introductory documents, run unchanged; 'qkv' is the package's source.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import * as qkv from '../../web/lib/index.js';
import * as models from '../../web/lib/models/index.js';
import enFr from '../../web/models/en-fr/index.js';
import * as view from '../../web/view/index.js';
import { listen } from '../servers.js';
import { at } from './support.js';

const kModules = { qkv, 'qkv/models': models, 'qkv/view': view, 'qkv-en-fr': { enFr } };
/** The folders for the addresses in the examples. */
const kFolders = {
  'opus-mt-en-fr': 'web/models/en-fr',
  bert: 'web/models/english/masked',
  gpt2: 'web/models/english/everyday',
};

let listener, base;
beforeAll(async () => {
  const server = createServer((request, response) => {
    const [, , name, file] = request.url.split('/');
    try {
      response.end(readFileSync(join(at(kFolders[name]), file)));
    } catch {
      response.writeHead(404).end();
    }
  });
  listener = await listen(server);
  base = `http://127.0.0.1:${listener.port}`;
});
afterAll(() => listener.close());

const examples = ['getting-started.md', 'transformers-js.md', 'bertviz.md'].flatMap((page) => {
  const text = readFileSync(at(`web/docs/${page}`), 'utf8');
  return [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code], i) => [`${page}, ${i + 1}`, code]);
});

test('the document has examples', () => expect(examples.length).toBeGreaterThan(8));

test.each(examples)('%s runs', async (_, code) => {
  const body = code
    .replace(/^import (\{[^}]*\}) from '([^']+)';/gm, "const $1 = modules['$2'];")
    .replace(/^import (\w+) from '([^']+)';/gm, "const { $1 } = modules['$2'];")
    .replaceAll("'/models/", `'${base}/models/`);
  expect(body).not.toMatch(/^import/m);
  const made = [];
  const watched = (Class, method) =>
    new Proxy(Class, {
      get: (target, name) =>
        name !== method ? target[name] : async (...given) => made[made.push(await target[method](...given)) - 1],
    });
  const modules = {
    ...kModules,
    qkv: { ...qkv, Translator: watched(qkv.Translator, 'create') },
    'qkv/models': { ...models, Encoder: watched(models.Encoder, 'load'), Generator: watched(models.Generator, 'load') },
  };
  const logged = [];
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction('modules', 'console', body)(modules, { log: (...values) => logged.push(...values) });
  for (const one of made) one.destroy();
  expect(logged.length).toBeGreaterThan(0);
  expect(logged.every((value) => value !== undefined && value !== '')).toBe(true);
  // The output that an example claims.
  const [, promised] = /^\/\/ (.*)$/m.exec(code) ?? [];
  if (promised) expect(logged).toContain(promised);
});
