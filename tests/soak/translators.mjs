// Creates and destroys COUNT translators, and reports the memory that remains: with one engine each, and with one model
// each in an engine that keeps running.
//
// usage: node --expose-gc translators.mjs COUNT WORKER      WORKER: true or false, whether engines have their own
// threads
// prints {own, shared}: own {first, last, threads}, shared {first, last}; first after a quarter of them

import { readFileSync, readdirSync } from 'node:fs';
import { Translator } from '../../web/lib/index.js';
import { ownMemory, threads } from './memory.mjs';
import { sentences } from './sentences.mjs';

const count = Number(process.argv[2]);
const worker = process.argv[3] === 'true';
const pair = { sourceLanguage: 'en', targetLanguage: 'fr', worker };
const [{ source, beam }] = sentences;
const warm = Math.floor(count / 4);

async function use(translator) {
  const translation = await translator.translate(source, { split: false, copy: false });
  translator.destroy();
  return translation;
}

/** The last translator ends its engine, so each creates a new engine. */
async function ownEngines() {
  await ownMemory(); // Node starts its own threads when they are first needed
  await use(await Translator.create(pair));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const before = threads();
  let first;
  for (let i = 0; i < count; ++i) {
    if (i === warm) first = await ownMemory();
    if ((await use(await Translator.create(pair))) !== beam.text) throw new Error(`translator ${i} is wrong`);
  }
  await new Promise((resolve) => setTimeout(resolve, 500)); // threads end some time after the request to end
  return { first, last: await ownMemory(), threads: threads() - before };
}

/** Models given by their bytes are not shared: each is loaded and freed beside one that stays. */
async function sharedEngine() {
  const folder = new URL('../goldens/models/tiny-f32/', import.meta.url);
  const names = readdirSync(folder).filter((name) =>
    /^(.*config\.json|vocab\.json|source\.spm|model\.safetensors)$/.test(name),
  );
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, folder))]));
  const staying = await Translator.create(pair);
  const memory = async () => ({ wasm: await staying.memoryBytes(), ...(await ownMemory()) });
  let first;
  for (let i = 0; i < count; ++i) {
    if (i === warm) first = await memory();
    await use(await Translator.create({ ...pair, model: { files } }));
  }
  const last = await memory();
  if ((await use(staying)) !== beam.text) throw new Error('the translator that stayed is wrong');
  return { first, last };
}

console.log(JSON.stringify({ own: await ownEngines(), shared: await sharedEngine() }));
