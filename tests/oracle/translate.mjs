// Translates as `qkv translate` does, a line in and a line out, by WebAssembly in Node: for parity.py.
//
// usage: node [--experimental-wasm-relaxed-simd] translate.mjs BUILD BEAM < LINES      BUILD: baseline or relaxed

import { createInterface } from 'node:readline';
import { Translator } from '../../web/lib/index.js';

const [wasm, beam] = process.argv.slice(2);
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', wasm, beam: Number(beam) });
for await (const line of createInterface({ input: process.stdin })) {
  console.log((await translator.translate(line, { split: false })).replaceAll('\n', ' '));
}
