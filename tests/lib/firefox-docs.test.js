// The examples of the documents on Firefox's models, run unchanged. 'qkv' is the source of the built package, and the
// models are those of tests/goldens/marian, at the addresses in the examples.
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import * as qkv from '../../web/lib/index.js';
import { listen } from '../servers.js';
import { opus } from './opus.js';
import { at } from './support.js';

const kModel = 'tests/goldens/marian/ssru-int8';
const names = readdirSync(at(kModel)).filter((name) => /^(model|lex|vocab)\./.test(name));
const list = {
  models: {
    'en-fr': [
      { sourceLanguage: 'en', targetLanguage: 'fr', files: Object.fromEntries(names.map((path) => [path, { path }])) },
    ],
  },
};

let listener, base;
beforeAll(async () => {
  const server = createServer((request, response) => {
    const name = request.url.split('/').at(-1);
    if (name === 'models.json') return response.end(JSON.stringify(list));
    if (request.url.startsWith('/models/opus-')) {
      if (!Object.hasOwn(opus, name)) return response.writeHead(404).end();
      return response.end(opus[name]);
    }
    // Under the published names: model.enfr.intgemm.alphas.bin.gz is model.xxyy.bin.gz here.
    const own = name
      .replace(/\.(enfr|deen)\./, '.xxyy.')
      .replace('intgemm.alphas.', '')
      .replace('50.50.', '');
    if (!names.includes(own)) return response.writeHead(404).end();
    return response.end(readFileSync(join(at(kModel), own)));
  });
  listener = await listen(server);
  base = `http://127.0.0.1:${listener.port}`;
});
afterAll(() => listener.close());

const examples = ['firefox-models.md', 'bergamot.md'].flatMap((page) => {
  const text = readFileSync(at(`web/docs/${page}`), 'utf8');
  return [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code], i) => [`${page}, ${i + 1}`, code]);
});

test('the document has examples', () => expect(examples.length).toBeGreaterThan(8));

test.each(examples)('%s runs', async (_, code) => {
  const body = code
    .replace(/import (\{[^}]*\}) from 'qkv';/, 'const $1 = qkv;')
    .replaceAll("'/models/", `'${base}/models/`);
  expect(body).not.toMatch(/^import/m);
  const logged = [];
  const made = [];
  const watched = class extends qkv.Translator {
    static async create(options) {
      const translator = await qkv.Translator.create(options);
      made.push(translator);
      return translator;
    }
  };
  const AsyncFunction = (async () => {}).constructor;
  const run = new AsyncFunction('qkv', 'console', body);
  await run({ ...qkv, Translator: watched }, { log: (...values) => logged.push(values) });
  expect(logged.flat()).not.toContain(undefined);
  expect(made.length).toBeGreaterThan(0);
  made.forEach((translator) => translator.destroy());
});
