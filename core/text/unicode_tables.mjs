// Writes unicode_tables.inc, which native builds take the place of a host's own tables from:
//
//     node core/text/unicode_tables.mjs > core/text/unicode_tables.inc
import { readFileSync } from 'node:fs';

// The same function as in WebAssembly, cut out of its source.
const source = readFileSync(new URL('unicode.cc', import.meta.url), 'utf8');
const body = source.slice(source.indexOf('/* facts */'), source.indexOf('/* end */')).replaceAll('\\\\', '\\');
const HEAPU32 = new Uint32Array(6 * 256);
// eslint-disable-next-line no-new-func -- of this repository's own text
const fill = new Function('HEAPU32', 'first', 'out', body).bind(null, HEAPU32);

const kHangul = [0xac00, 0xd7a3]; // decomposed by arithmetic
const kMark = 3; // has no base
const kinds = [];
const lower = [];
const base = [];
for (let first = 0; first < 0x110000; first += 256) {
  fill(first, 0);
  for (let i = 0; i < 256; ++i) {
    const c = first + i;
    const [kind, l0, l1, ...b] = HEAPU32.subarray(6 * i, 6 * i + 6);
    const last = kinds.at(-1);
    if (last?.kind === kind) last.end = c;
    else kinds.push({ begin: c, end: c, kind });
    if (l0 !== c) lower.push([c, l0, l1]);
    const isMark = kind === kMark && b[0] === 0;
    if (!isMark && (b[0] !== c || b[1]) && !(c >= kHangul[0] && c <= kHangul[1])) base.push([c, ...b]);
  }
}

const hex = (n) => (n === 0 ? '0' : `0x${n.toString(16).toUpperCase()}`);
const print = (name, type, rows) => {
  console.log(`constexpr ${type} ${name}[] = {`);
  let line = '   ';
  for (const row of rows) {
    const entry = ` {${row.map(hex).join(', ')}},`;
    if (line.length + entry.length > 120) {
      console.log(line);
      line = '   ';
    }
    line += entry;
  }
  console.log(`${line}\n};`);
};
console.log(`// Made by unicode_tables.mjs from Unicode ${process.versions.unicode}. Do not edit.`);
print(
  'kKinds',
  'KindFrom',
  kinds.map(({ begin, kind }) => [begin, kind]),
);
print('kLower', 'LowerOf', lower);
print('kBase', 'BaseOf', base);
