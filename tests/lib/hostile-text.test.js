// A thousand unusual lines (tests/oracle/make_hostile_lines.py) through the JavaScript API: pieces as in the reference
// SentencePiece, spans in UTF-16, translations; and strings that only JavaScript has.
import createModule from '../../web/lib/engine/glue.js';
import { loadModel } from '../../web/lib/engine/load.js';
import { guard } from '../../web/lib/engine/guard.js';
import { instantiate } from '../../web/lib/engine/instantiate.js';
import { modelSource } from '../../web/lib/loading/model-source.js';
import { at, create, readJson, tinyFolder } from './support.js';

const { model: tokenizer, lines } = readJson('tests/goldens/hostile.json');

/** The line's text and its bytes; null where they are not UTF-8, which a string cannot hold. */
function textOf({ line }) {
  const bytes = Buffer.concat(line.map(([unit, times]) => Buffer.from(unit.repeat(times), 'latin1')));
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { text, bytes } : null;
}

const readable = lines.flatMap((golden) => {
  const found = textOf(golden);
  return found ? [{ ...golden, ...found }] : [];
});

let wasm;
const load = (folder) => loadModel(Promise.resolve(wasm), modelSource(folder), new AbortController().signal, () => {});

beforeAll(async () => {
  const { module } = await instantiate(createModule, {
    build: 'baseline',
    from: new URL('../../build/wasm/baseline/qkv.wasm', import.meta.url).href,
  });
  wasm = guard(module);
});

/** Translates with the engine's own functions, which have a maximum length. */
function translate(model, texts, options) {
  const job = wasm.translateStart(model, texts, options);
  while (!wasm.jobStep(job));
  const results = wasm.translateResult(job);
  wasm.jobFree(job);
  return results;
}

test('is a thousand lines, nearly all of them text', () => {
  expect(lines).toHaveLength(1000);
  expect(readable.length).toBeGreaterThan(850);
});

test('is cut as SentencePiece cuts it, with spans in UTF-16', async () => {
  const folder = at(tokenizer).replace(/[^/]*$/, '');
  const model = await load(folder);
  const rows = readJson('web/models/en-fr/vocab.json');
  let compared = 0;
  for (const { text, bytes, count, pieces } of readable) {
    const found = wasm.tokenize(model, text, 'source');
    expect(found.ids).toHaveLength(Math.min(count + 1, 512)); // </s> is the last piece
    if (!pieces) continue;
    const units = (offset) => bytes.subarray(0, offset).toString().length;
    const spans = [];
    for (let i = 0; i < pieces.length; i += 3) spans.push([pieces[i], units(pieces[i + 1]), units(pieces[i + 2])]);
    // The default model has the same ids as its tokenizer.
    expect(Array.from(found.ids.slice(0, -1), (id, i) => [id, found.begin[i], found.end[i]])).toEqual(spans);
    expect(found.pieces.map((piece) => rows[piece])).toEqual([...found.ids]);
    compared++;
  }
  expect(compared).toBeGreaterThan(650);
  wasm.modelFree(model);
});

test('is translated, every line by the small model and some by the default one', async () => {
  const runs = [
    [tinyFolder, readable, 12],
    [at('web/models/en-fr'), readable.filter(({ count }, i) => i % 25 === 0 || count > 10_000), 3],
  ];
  for (const [folder, chosen, maxLength] of runs) {
    const model = await load(folder);
    const results = translate(
      model,
      chosen.map(({ text }) => text),
      { beam: 1, maxLength, copy: false },
    );
    results.forEach(({ text, ids }, i) => {
      expect(ids.length).toBeLessThanOrEqual(maxLength);
      expect(text.isWellFormed?.() ?? true).toBe(true);
      // the other model's tokenizer keeps more pieces
      if (folder !== tinyFolder && chosen[i].count === 0) expect(text).toBe('');
    });
    wasm.modelFree(model);
  }
});

test('with lone surrogates is the text with U+FFFD in their place', async () => {
  const translator = await create({ beam: 1 });
  for (const lone of ['\uD800', '\uDBFF', '\uDC00', '\uDFFF', '\uDC00\uD800', 'a\uD83D b']) {
    const replaced = lone.replace(/[\uD800-\uDFFF]/g, '\uFFFD');
    for (const [text, same] of [
      [`${lone}Hello.`, `${replaced}Hello.`],
      [`Where is ${lone} the dog?`, `Where is ${replaced} the dog?`],
      [`Yes.${lone}`, `Yes.${replaced}`],
    ]) {
      expect(await translator.translate(text)).toBe(await translator.translate(same));
      const trace = await translator.trace(text);
      expect(trace.source.text).toBe(same);
      expect([...trace.source.end].at(-1)).toBe(text.length);
    }
  }
  expect(await translator.translate('A 😀 dog.')).toBe(await translator.translate('A \uD83D\uDE00 dog.'));
  translator.destroy();
});

test('of a hundred thousand characters goes through the public functions', async () => {
  const translator = await create({ model: tinyFolder, beam: 1 });
  for (const text of [
    'a'.repeat(100_000),
    '\u0301'.repeat(100_000),
    ' \t\u3000\n'.repeat(25_000),
    '\0'.repeat(100_000),
  ]) {
    const translated = await translator.translate(text);
    expect(typeof translated).toBe('string');
    if (text.trim() === '') expect(translated).toBe(text);
  }
  translator.destroy();
});
