// Translates like `qkv translate`, one line in and one line out, with WebAssembly in Node, for parity.py.
//
// usage: node [--experimental-wasm-relaxed-simd] translate.mjs BUILD BEAM [MODEL] < LINES
//   BUILD   baseline or relaxed
//   MODEL   a folder; by default the package's own

import { createInterface } from 'node:readline';
import { Translator } from '../../web/lib/index.js';

const [wasm, beam, model] = process.argv.slice(2);
const translator = await Translator.create({
  sourceLanguage: 'en',
  targetLanguage: 'fr',
  model,
  wasm,
  beam: Number(beam),
});
for await (const line of createInterface({ input: process.stdin })) {
  console.log((await translator.translate(line, { split: false, copy: false })).replaceAll('\n', ' '));
}
