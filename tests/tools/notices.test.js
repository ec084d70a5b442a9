// THIRD_PARTY.txt: nothing is shipped without its author's notice.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { componentsOf } from '../../web/tools/notices.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (...path) => readFileSync(join(root, ...path), 'utf8');

/** The npm modules that the sources of a folder import. */
function importedIn(folder) {
  const sources = readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith('.js'));
  const imports = sources.flatMap((name) => [...read(folder, name).matchAll(/from '([^'.][^']*)'/g)]);
  return [...new Set(imports.map(([, name]) => name))].filter((name) => !/^(node:|qkv)/.test(name));
}

test.each([
  ['dist', 'web/view'],
  ['build/site', 'web/demo'],
])('%s has the notice of every module that is bundled', (out, folder) => {
  const text = read(out, 'THIRD_PARTY.txt');
  const modules = [...new Set([...importedIn(folder), ...importedIn('web/view')])];
  expect(modules).toContain('d3-scale');
  for (const name of modules) {
    const home = join(root, 'node_modules', name);
    const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    expect(text).toContain(`${name} ${version}`);
    const licence = readdirSync(home).find((file) => /^licen[cs]e(\.\w+)?$/i.test(file));
    expect(text).toContain(readFileSync(join(home, licence), 'utf8').trim());
  }
  // The modules that these import.
  expect(text).toMatch(/^d3-interpolate \d/m);
});

test.each(['dist', 'build/site'])('%s has the notices of what is compiled in, and only of what ships', (out) => {
  const text = read(out, 'THIRD_PARTY.txt');
  for (const name of ['Eigen', 'Emscripten', 'Highway', 'RapidJSON', 'libc\\+\\+', 'musl']) {
    expect(text).toMatch(new RegExp(`^${name}`, 'm'));
  }
  expect(text).not.toMatch(/playwright|jest|CLI11|GoogleTest/i);
});

test('the command has the notice of what reads its options', () => {
  const text = read('build/qkv-cli', 'THIRD_PARTY.txt');
  for (const name of ['CLI11', 'Eigen', 'Highway', 'libc\\+\\+']) expect(text).toMatch(new RegExp(`^${name}`, 'm'));
  expect(text).not.toMatch(/^d3-/m);
});

test('the components of a WebAssembly are found in the linker’s map', () => {
  const line = (what) => `       -     11d8       1c         ${what}\n`;
  const found = (...lines) => [...componentsOf(lines.map(line).join(''))].sort();
  expect(found('/x/libqkv_core.a(gates.cc.o):(_ZN3qkv4NameEv)')).toEqual([]);
  expect(found('/x/libc++-mt-noexcept.a(new.o):(_Znwm)', '/x/libc.a(memcpy.o):(memcpy)')).toEqual(['llvm', 'musl']);
  expect(found('libqkv_core.a(json.cc.o):(_ZN9rapidjson6ReaderEv)')).toEqual(['rapidjson']);
  expect(found('libqkv_core.a(gates.cc.o):(_ZN3qkv7SigmoidIN3hwy4SimdIfEEEEvT_)')).toEqual(['highway']);
  expect(() => found('/x/libz.a(inflate.o):(inflate)')).toThrow('whose z is');
  expect(() => found('libqkv_core.a(a.cc.o):(_ZNK4absl6StatusEv)')).toThrow('whose absl is');
});
