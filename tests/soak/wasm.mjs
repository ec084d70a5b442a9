// Translates COUNT sentences in this process, one call each, and reports its memory after the first WARM of them and
// after the last. Most are short, to save time. Every 25th is any sentence with a beam search, every 100th a trace.
// Every result is compared with PyTorch's.
//
// usage: node --expose-gc wasm.mjs COUNT WARM      prints {first, last, wrong}, each memory {wasm, resident, used,
// outside} in bytes

import { Translator } from '../../web/lib/index.js';
import { ownMemory } from './memory.mjs';
import { isRight, sentences } from './sentences.mjs';

const [count, warm] = process.argv.slice(2).map(Number);
const pair = { sourceLanguage: 'en', targetLanguage: 'fr' };
const [greedy, wide] = await Promise.all([1, 4].map((beam) => Translator.create({ ...pair, beam })));
const one = { split: false, copy: false };
const short = sentences.toSorted((a, b) => a.source.length - b.source.length).slice(0, 47);

/** @returns {Promise<boolean>} whether the answer is right */
async function call(i) {
  if (i % 25 > 0) {
    const { source, greedy: expected } = short[i % short.length];
    return isRight(expected, await greedy.translate(source, one));
  }
  const sentence = sentences[(i / 25) % sentences.length];
  if (i % 100 > 0) return isRight(sentence.beam, await wide.translate(sentence.source, one));
  const trace = await greedy.trace(sentence.source, { copy: false });
  return isRight(sentence.greedy, trace.target.text);
}

const memory = async () => ({ wasm: await greedy.memoryBytes(), ...(await ownMemory()) });

let first;
let wrong = 0;
for (let i = 0; i < count; ++i) {
  if (i === warm) first = await memory();
  if (!(await call(i))) ++wrong;
  if (process.env.QKV_SOAK_SAY && i % 1000 === 999) console.error(i + 1, JSON.stringify(await memory()));
}
console.log(JSON.stringify({ first, last: await memory(), wrong }));
