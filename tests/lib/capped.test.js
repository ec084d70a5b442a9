// An engine whose memory may not grow: what does not fit is refused, and the translators that are there go on.

import { readFileSync } from 'node:fs';
import { wasmUrls } from '../../web/lib/engine/assets.js';
import { create, rejection, tinyFolder } from './support.js';

const kPage = 65_536; // bytes of WebAssembly's pages

/** A number in WebAssembly's LEB128: its value, and where the next one begins. */
function readNumber(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    value += (bytes[at] & 127) * 2 ** shift;
    if (bytes[at++] < 128) return { value, next: at };
  }
}

/** The engine with another maximum of its memory, written over the one that it has in as many bytes. */
function capped(bytes, mebibytes) {
  const copy = bytes.slice();
  for (let at = 8; at < copy.length;) {
    const size = readNumber(copy, at + 1);
    if (copy[at] !== 5) {
      at = size.next + size.value;
      continue;
    }
    const least = readNumber(copy, size.next + 2); // after the number of memories and their flags
    const most = readNumber(copy, least.next);
    let pages = (mebibytes * 2 ** 20) / kPage;
    for (let i = least.next; i < most.next; ++i, pages = Math.floor(pages / 128)) {
      copy[i] = (pages % 128) + (i + 1 < most.next ? 128 : 0);
    }
    return copy.buffer;
  }
  throw new Error('the engine has no memory of its own');
}

const engine = new Uint8Array(readFileSync(new URL(wasmUrls().baseline)));
const kText = 'Hello.';

/** The default model's files: each translator of them has a copy of its own. */
const copyOfModel = () => {
  const names = ['config.json', 'generation_config.json', 'vocab.json', 'source.spm', 'model.safetensors'];
  return {
    files: Object.fromEntries(names.map((name) => [name, new URL(`../../web/models/en-fr/${name}`, import.meta.url)])),
  };
};

// By the cap the memory ends in another place: while small files are read, or while weights are.
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

test('a text too large for the memory leaves the others alone', async () => {
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
