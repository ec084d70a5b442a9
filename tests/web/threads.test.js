// The engine on several threads: where a page may use them, what they change, and what happens elsewhere.

import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built, openBrowser } from './chromium.js';

const kTexts = [
  'How are you?',
  'I missed the bus this morning. I had to walk to school. It was a beautiful day, and nobody was in a hurry.',
];

/** Runs in the page: the engine for each value of the option, and its result. */
async function translateOn([wishes, texts, index]) {
  const { Translator } = await import(index);
  const { default: model } = await import(new URL('models/en-fr/index.js', index).href);
  const outcome = [];
  for (const wish of wishes) {
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model, ...wish });
    const outputs = [];
    for (const text of texts) outputs.push(await translator.translate(text));
    const { score } = await translator.score(texts[0], outputs[0]);
    const { engine, threads } = translator.info;
    translator.destroy();
    outcome.push({ engine, threads, outputs: [...outputs, score] });
  }
  return outcome;
}

/** Runs in the page: the engines of an encoder and of a generator for each value of the options, and their results. */
async function readOn([wishes, texts, index]) {
  const { Encoder, Generator } = await import(new URL('models.js', index).href);
  const engineOf = ({ info: { engine, threads } }) => ({ engine, threads });
  const outcome = [];
  for (const wish of wishes) {
    const encoder = await Encoder.load(new URL('models/english/masked/', index).href, wish);
    const { ids, vectors } = await encoder.encode(texts[1]);
    const generator = await Generator.load(new URL('models/english/everyday/', index).href, wish);
    const { text, logProbs } = await generator.generate(texts[1], { maxLength: 20 });
    outcome.push({ encoder: engineOf(encoder), generator: engineOf(generator) });
    outcome.at(-1).outputs = [[...ids], [...vectors.data], text, [...logProbs]];
    encoder.destroy();
    generator.destroy();
  }
  return outcome;
}

async function outcomes(isolated, wishes, { run = translateOn, folder = built.package, mayComplain = /^$/ } = {}) {
  const browser = await openBrowser(folder, { isolated });
  try {
    const page = await browser.open('page.html', {}, (opened) =>
      opened.route('**/page.html', async (route) => {
        const headers = isolated
          ? { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }
          : {};
        await route.fulfill({ contentType: 'text/html', headers, body: '<!doctype html><title>A page</title>' });
      }),
    );
    expect(await page.evaluate(() => globalThis.crossOriginIsolated)).toBe(isolated);
    const found = await page.evaluate(run, [wishes, kTexts, `${browser.url}index.js`]);
    expect(page.complaints.filter((complaint) => !mayComplain.test(complaint))).toEqual([]);
    return found;
  } finally {
    await browser.close();
  }
}

test('an isolated page has as many threads as it asks for, and the same translations', async () => {
  const wishes = [{}, { threads: 2 }, { threads: 3 }, { threads: 2, worker: false }, { threads: 2, wasm: 'relaxed' }];
  const [alone, two, three, inPage, chosen] = await outcomes(true, wishes);
  expect(alone).toMatchObject({ engine: 'relaxed', threads: 1 });
  expect(two).toEqual({ engine: 'threads', threads: 2, outputs: alone.outputs });
  expect(three).toEqual({ engine: 'threads', threads: 3, outputs: alone.outputs });
  expect([inPage.threads, chosen.threads]).toEqual([1, 1]);
  expect([inPage.outputs, chosen.outputs]).toEqual([alone.outputs, alone.outputs]);
});

test('elsewhere one thread computes, whatever is asked for', async () => {
  const [alone, two] = await outcomes(false, [{}, { threads: 2 }]);
  expect(two).toEqual({ engine: 'relaxed', threads: 1, outputs: alone.outputs });
});

test('an encoder and a generator have as many threads as the page asks for, and the same numbers', async () => {
  const [alone, two, inPage] = await outcomes(true, [{}, { threads: 2 }, { threads: 2, worker: false }], {
    run: readOn,
  });
  const one = { engine: 'relaxed', threads: 1 };
  expect(alone).toMatchObject({ encoder: one, generator: one });
  expect(alone.outputs[1].length).toBeGreaterThan(1000);
  const threaded = { engine: 'threads', threads: 2 };
  expect(two).toEqual({ encoder: threaded, generator: threaded, outputs: alone.outputs });
  expect(inPage).toEqual(alone);
  const [elsewhere] = await outcomes(false, [{ threads: 2 }], { run: readOn });
  expect(elsewhere).toEqual(alone);
});

test('where its threads never come, break or are not served, one computes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  try {
    cpSync(built.package, folder, { recursive: true });
    const name = readdirSync(join(folder, 'assets')).find((file) => /^qkv-threads-.*[.]js$/.test(file));
    const glue = join(folder, 'assets', name);
    const text = readFileSync(glue, 'utf8');
    const inThread = "self.name.startsWith('em-pthread')";
    for (const broken of [
      `if (!${inThread}) {${text}}`,
      `if (${inThread}) throw new Error('no');${text}`,
      'no script',
    ]) {
      writeFileSync(glue, broken);
      const [alone, two] = await outcomes(true, [{}, { threads: 2 }], { folder });
      expect(two).toEqual({ engine: 'relaxed', threads: 1, outputs: alone.outputs });
    }
    rmSync(glue);
    const [alone, two] = await outcomes(true, [{}, { threads: 2 }], { folder, mayComplain: /404/ });
    expect(two).toEqual({ engine: 'relaxed', threads: 1, outputs: alone.outputs });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
