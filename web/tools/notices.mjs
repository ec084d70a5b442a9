// Writes THIRD_PARTY.txt: the notices of all third-party code that is shipped. esbuild reports the npm modules in the
// scripts; the linker's maps at build/wasm/*/*.map report the code in the WebAssembly.

import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { ToolError, at } from './common.mjs';

const kMit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
const kApache = 'The text of the Apache License, Version 2.0, is in LICENSE.';

/** @typedef {{name: string, home: string, licence: string, notice: string}} Component */

const kBsd = `Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following
   disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
   disclaimer in the documentation and/or other materials provided with the distribution.
3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote products
   derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN
CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`;

/** The components that may be compiled in. @type {Record<string, Component>} */
const kCompiled = {
  cli11: {
    name: 'CLI11',
    home: 'https://github.com/CLIUtils/CLI11',
    licence: 'BSD-3-Clause',
    notice: `Copyright (c) 2017-2022 University of Cincinnati, developed by Henry Schreiner under NSF AWARD 1414736.\n\n${kBsd}`,
  },
  eigen: {
    name: 'Eigen',
    home: 'https://eigen.tuxfamily.org',
    licence: 'MPL-2.0',
    notice:
      'Copyright (C) Benoit Jacob, Gael Guennebaud and others\n\n' +
      'It is used as it was published; its source is at https://gitlab.com/libeigen/eigen. The text of the Mozilla Public\n' +
      'License, Version 2.0, is at https://mozilla.org/MPL/2.0/.',
  },
  emscripten: {
    name: 'Emscripten (the JavaScript around the WebAssembly, Embind, emmalloc)',
    home: 'https://emscripten.org',
    licence: 'MIT',
    notice: `Copyright (c) 2010-2014 Emscripten authors\n\n${kMit}`,
  },
  highway: {
    name: 'Highway',
    home: 'https://github.com/google/highway',
    licence: 'Apache-2.0',
    notice: `Copyright (c) The Highway Project Authors, Google LLC\n\n${kApache}`,
  },
  llvm: {
    name: 'libc++, libc++abi and compiler-rt of the LLVM Project',
    home: 'https://llvm.org',
    licence: 'Apache-2.0 WITH LLVM-exception',
    notice: `Copyright (c) The LLVM Project's contributors\n\n${kApache} The exception is at https://llvm.org/LICENSE.txt.`,
  },
  musl: {
    name: 'musl',
    home: 'https://musl.libc.org',
    licence: 'MIT',
    notice: `Copyright (c) 2005-2020 Rich Felker, et al.\n\n${kMit}`,
  },
  rapidjson: {
    name: 'RapidJSON',
    home: 'https://rapidjson.org',
    licence: 'MIT',
    notice: `Copyright (C) 2015 THL A29 Limited, a Tencent company, and Milo Yip. All rights reserved.\n\n${kMit}`,
  },
};

/** The component of a library that the linker used, without the variant in its name (-mt, -noexcept). */
const kLibraries = {
  c: 'musl',
  c_optz: 'musl',
  'c++': 'llvm',
  'c++abi': 'llvm',
  compiler_rt: 'llvm',
  unwind: 'llvm',
  embind: 'emscripten',
  emmalloc: 'emscripten',
  noexit: 'emscripten',
  stubs: 'emscripten',
  qkv_core: null, // our own
};

/** The component of an outermost namespace, for header-only libraries. */
const kNamespaces = {
  CLI: 'cli11',
  Eigen: 'eigen',
  emscripten: 'emscripten',
  hwy: 'highway',
  qkv: null,
  rapidjson: 'rapidjson',
};

/**
 * The third-party components of a WebAssembly file.
 * @param {string} map as the linker writes it
 * @returns {Set<string>} names in kCompiled
 */
export function componentsOf(map) {
  const whose = (/** @type {Record<string, string | null>} */ table, /** @type {string} */ name) => {
    if (!(name in table)) throw new ToolError(`notices.mjs does not say whose ${name} is, which is in the WebAssembly`);
    return table[name];
  };
  const libraries = [...map.matchAll(/\blib([\w+]+)(?:-[\w-]+)?\.a\(/g)].map(([, name]) => whose(kLibraries, name));
  // Mangled names begin with their outermost namespace: _ZN3hwy4Stop belongs to hwy. Names of the standard library have none.
  for (const [, length, rest] of map.matchAll(/\(_ZN[VK]*(\d+)(\w+)/g)) {
    const name = rest.slice(0, Number(length));
    if (!name.startsWith('_')) whose(kNamespaces, name);
  }
  // Inlined code has no symbols, but its namespace is in the types of arguments.
  const inlined = Object.entries(kNamespaces).filter(([name]) => map.includes(`N${name.length}${name}`));
  return new Set([...libraries, ...inlined.map(([, component]) => component)].filter((name) => name !== null));
}

/** @param {(map: string) => boolean} ships whether the WebAssembly with a map of this name is included @returns {Component[]} */
function compiled(ships) {
  const root = at('build', 'wasm');
  const kinds = ['baseline', 'relaxed', 'threads', 'train'].map((kind) => join(root, kind)).filter(existsSync);
  const maps = kinds.flatMap((kind) =>
    readdirSync(kind)
      .filter((name) => name.endsWith('.map') && ships(name))
      .map((name) => join(kind, name)),
  );
  if (maps.length === 0) throw new ToolError('the linker left no maps in build/wasm: build the WebAssembly first');
  const names = new Set(maps.flatMap((map) => [...componentsOf(readFileSync(map, 'utf8'))]));
  return [...names].map((name) => kCompiled[name]);
}

/** The folders of npm packages, by the folder that they were bundled into. @type {Map<string, Set<string>>} */
const bundled = new Map();

/**
 * A plugin for esbuild that records the packages whose code is in the files in `out`.
 * @param {string} out
 * @returns {import('esbuild').Plugin}
 */
export const noting = (out) => ({
  name: 'notices',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile }) => {
      const inputs = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs: parts }) => Object.entries(parts));
      const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
      const folders = used.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
      const known = bundled.get(out) ?? new Set();
      bundled.set(out, new Set([...known, ...folders.map((folder) => resolve(folder))]));
    });
  },
});

/** @param {string} folder of an npm package @returns {Component} */
function packageIn(folder) {
  const { name, version, license, homepage } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (!file) throw new ToolError(`${name} is bundled and has no file with its licence`);
  const notice = readFileSync(join(folder, file), 'utf8').trim();
  return {
    name: `${name} ${version}`,
    home: homepage ?? `https://www.npmjs.com/package/${name}`,
    licence: license,
    notice,
  };
}

/**
 * Writes THIRD_PARTY.txt for all code that was bundled into a folder and its subfolders.
 * @param {string} out
 * @param {(map: string) => boolean} [ships] which WebAssembly is included, by the name of its map; default: the engines
 */
export function writeNotices(out, ships = (map) => map !== 'command.map') {
  const folders = [...bundled]
    .filter(([into]) => into === out || into.startsWith(out + sep))
    .flatMap(([, all]) => [...all]);
  const components = [...compiled(ships), ...[...new Set(folders)].map(packageIn)].sort((a, b) =>
    a.name.localeCompare(b.name, 'en'),
  );
  const parts = components.map(
    ({ name, home, licence, notice }) => `${name}\n${home}\nLicence: ${licence}\n\n${notice}\n`,
  );
  const head = 'qkv contains parts of the following works, compiled or bundled.\n';
  writeFileSync(join(out, 'THIRD_PARTY.txt'), [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`));
}
