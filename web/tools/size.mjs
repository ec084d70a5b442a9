// The size ledger: what a page downloads for all that the engine does, gzipped, the model aside.

import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { ToolError, at, fail } from './common.mjs';

const kLimit = 160_000;

const measured = readdirSync(at('dist'))
  .filter((name) => /\.(js|wasm)$/.test(name))
  .map((name) => ({ name, size: gzipSync(readFileSync(at('dist', name)), { level: 9 }).length }));
const isWasm = ({ name }) => name.endsWith('.wasm');
const larger = Math.max(...measured.filter(isWasm).map(({ size }) => size));
const total = measured.filter((file) => !isWasm(file)).reduce((sum, { size }) => sum + size, larger);

const print = (name, size) => console.log(`${String(size).padStart(8)}  ${name}`);
for (const { name, size } of measured.toSorted((a, b) => b.size - a.size)) print(name, size);
print(`the engine: all JavaScript and the larger wasm, of ${kLimit} bytes`, total);
if (!(total <= kLimit)) fail(new ToolError('The engine is larger than its limit.'));
