// An engine whose memory may not grow: a model that does not fit is refused, and the loaded translators keep working.

import { readFileSync } from 'node:fs';
import { wasmUrls } from '../../web/lib/engine/assets.js';
import { capped } from './capped.js';
import { create, rejection, tinyFolder } from './support.js';

const engine = new Uint8Array(readFileSync(new URL(wasmUrls().baseline)));
const kText = 'Hello.';

/** The default model's files. Each translator that is made of them has its own copy. */
const copyOfModel = () => {
  const names = ['config.json', 'generation_config.json', 'vocab.json', 'source.spm', 'model.safetensors'];
  return {
    files: Object.fromEntries(names.map((name) => [name, new URL(`../../web/models/en-fr/${name}`, import.meta.url)])),
  };
};

// Each cap ends the memory in another place: while small files are read, or while weights are read.
test.each([20, 21, 22, 23, 24, 26, 28, 32])(
  'of %d MiB: a model that does not fit leaves the others alone',
  async (most) => {
    const wasm = capped(engine, most);
    const all = [await create({ model: tinyFolder, wasm })];
    const expected = await all[0].translate(kText);
    let refused;
    while (!refused) {
      const next = await create({ model: copyOfModel(), wasm }).catch((error) => error);
      if (next instanceof Error) refused = next;
      else all.push(next);
    }
    expect(refused).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await all[0].translate(kText)).toBe(expected);
    for (const translator of all) translator.destroy();
  },
);

test('a text too large for the memory does not affect other texts', async () => {
  const wasm = capped(engine, 26);
  const translator = await create({ wasm });
  const expected = await translator.translate(kText);
  for (const call of [
    () => translator.translate('a '.repeat(400_000)),
    () => translator.translate('We went home and then we ate. '.repeat(3000)),
    () => translator.trace('We went home. '.repeat(60)),
  ]) {
    expect(await rejection(call())).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await translator.translate(kText)).toBe(expected);
  }
  translator.destroy();
});

// Each cap ends the memory in another place: when the search begins, when its keys and values grow, or in the trace.
test.each([18, 19, 20, 21, 22, 23, 24, 26, 28, 30])(
  'a search too wide for %d MiB leaves the others alone',
  async (most) => {
    const wasm = capped(engine, most);
    const translator = await create({ wasm, model: tinyFolder });
    const wide = await create({ wasm }).catch((error) => error);
    const expected = await translator.translate(kText);
    const calls = [
      (one) => one.search('We went home and then we ate. '.repeat(8), { beam: 64, nBest: 64, tree: true }),
      (one) =>
        one.translate(Array.from({ length: 40 }, (_, i) => `We ate ${i} apples and then we went home.`).join(' ')),
      (one) => one.trace('We went home and then we ate. '.repeat(8), { vectors: true }),
    ];
    for (const one of wide instanceof Error ? [translator] : [translator, wide]) {
      for (const call of calls) {
        const error = await call(one).then(
          () => undefined,
          (reason) => reason,
        );
        if (error) expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED' });
        expect(await translator.translate(kText)).toBe(expected);
      }
    }
  },
);
