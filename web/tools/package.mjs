// Makes dist/ an npm package: its manifest, types for each way to import it, README and documents.

import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { at, run } from './common.mjs';

/** @param {string} out dist/, with the scripts in it */
export async function writePackage(out) {
  await writeTypes(out);
  writeCommonJs(out);
  writeManifest(out);
  writeDocuments(out);
}

const root = () => JSON.parse(readFileSync(at('package.json'), 'utf8'));

/** The doors that are scripts, each with its module in web/. */
const kDoors = {
  index: 'lib/index.js',
  attention: 'lib/attention/index.js',
  models: 'lib/models/index.js',
  train: 'lib/train/index.js',
  page: 'lib/page/index.js',
  'page-auto': 'lib/page/auto.js',
  detect: 'lib/detect/index.js',
  explain: 'lib/explain/index.js',
  static: 'lib/static.js',
  'translator-api': 'lib/translator-api/index.js',
  'translator-api/install': 'lib/translator-api/install.js',
  'view/index': 'view/index.js',
};

/** The doors that are types alone. */
const kTypeDoors = ['view/react', 'view/svelte', 'view/vue'];

/**
 * Types from the JSDoc, those written by hand, and one file beside each door for tools that do not read `exports`.
 * @param {string} out
 */
async function writeTypes(out) {
  const tsc = at('node_modules', 'typescript', 'bin', 'tsc');
  const types = join(out, 'types');
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', 'web', '--outDir', types];
  await run(process.execPath, [tsc, '-p', '.', ...emit]);
  // Code that compiles against the package may have no types of Node.
  const runtime = join(types, 'lib', 'base', 'runtime.d.ts');
  write(runtime, readFileSync(runtime, 'utf8').replace(/typeof import\("node:[^"]+"\)/g, 'any'));
  for (const folder of ['lib', 'view']) {
    const names = readdirSync(at('web', folder), { recursive: true }).map(String);
    for (const name of names.filter((file) => file.endsWith('.d.ts'))) {
      cpSync(at('web', folder, name), join(types, folder, name));
    }
  }
  for (const [door, module] of Object.entries(kDoors)) {
    const path = posix.relative(posix.dirname(door), `types/${module}`);
    const upwards = posix.relative(posix.dirname(door), 'types/lib/platform.d.ts');
    const platform = `/// <reference path="${upwards}" />\n`;
    write(join(out, `${door}.d.ts`), `${platform}export * from './${path}';\n`.replace('./../', '../'));
  }
  for (const door of kTypeDoors) write(join(out, `${door}.d.ts`), `import '../types/${door}.js';\nexport {};\n`);
  removeUnused(out);
}

/** Removes the types that no door leads to: half of the files. @param {string} out */
function removeUnused(out) {
  const doors = [...Object.keys(kDoors), ...kTypeDoors].map((door) => join(out, `${door}.d.ts`));
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
  const used = new Set(
    ts
      .createProgram(doors, options)
      .getSourceFiles()
      .map(({ fileName }) => posix.normalize(fileName)),
  );
  for (const name of readdirSync(join(out, 'types'), { recursive: true }).map(String)) {
    const file = join(out, 'types', name);
    if (statSync(file).isFile() && !used.has(file)) rmSync(file);
  }
}

/** For `require`: the same modules, which Node loads from CommonJS too, and types that say so. @param {string} out */
function writeCommonJs(out) {
  const folder = join(out, 'cjs');
  write(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  cpSync(join(out, 'types'), join(folder, 'types'), { recursive: true });
  for (const door of Object.keys(kDoors)) {
    const up = posix.relative(posix.dirname(`cjs/${door}`), door);
    write(join(folder, `${door}.js`), `'use strict';\nmodule.exports = require('${up}.js');\n`);
  }
  for (const door of [...Object.keys(kDoors), ...kTypeDoors]) {
    cpSync(join(out, `${door}.d.ts`), join(folder, `${door}.d.ts`));
  }
}

/** @param {string} out */
function writeManifest(out) {
  const { scripts: _s, devDependencies: _d, workspaces: _w, private: _p, ...manifest } = root();
  const inside = JSON.parse(JSON.stringify(manifest).replaceAll('./dist/', './'));
  const installing = ['./translator-api/install.js', './cjs/translator-api/install.js', './page-auto.js'];
  const sideEffects = ['./assets/*', './static.js', ...installing, './view/*'];
  write(join(out, 'package.json'), `${JSON.stringify({ ...inside, sideEffects }, null, 2)}\n`);
}

/**
 * README, CHANGELOG, LICENSE and web/docs, with links that hold in the package. What is for those who change qkv stays in
 * the repository.
 * @param {string} out
 */
function writeDocuments(out) {
  cpSync(at('LICENSE'), join(out, 'LICENSE'));
  /** @type {{name: string, pages: string[]}[]} */
  const groups = JSON.parse(readFileSync(at('web', 'docs', 'contents.json'), 'utf8'));
  const inside = groups.find(({ name }) => name === 'Inside')?.pages;
  const pages = readdirSync(at('web', 'docs'), { recursive: true }).map(String);
  const used = pages.filter((page) => page.endsWith('.md') && !inside?.includes(page));
  const documents = ['README.md', 'CHANGELOG.md', ...used.map((page) => `web/docs/${page}`)];
  for (const path of documents) write(join(out, placeOf(path)), relinked(path, new Set(documents)));
}

/** The path of a document of the repository in the package. */
const placeOf = (/** @type {string} */ path) => path.replace(/^web\//, '');

/**
 * Rewrites a document's links: links to documents of the package lead there, and links to the repository, including
 * pictures, become their texts.
 * @param {string} path in the repository
 * @param {Set<string>} documents
 */
function relinked(path, documents) {
  const text = readFileSync(at(path), 'utf8');
  return text.replace(/!?\[([^\]]+)\]\((?!\w+:|#)([^)#]*)(#[^)]*)?\)/g, (_, words, link, part = '') => {
    const target = posix.join(posix.dirname(path), link);
    if (!documents.has(target)) return words;
    return `[${words}](${posix.relative(posix.dirname(placeOf(path)), placeOf(target))}${part})`;
  });
}

/** @param {string} file @param {string} text */
function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** package.json and README of the command in Node. @param {string} out */
export function writeCommandPackage(out) {
  const { version, license, author, homepage, repository, bugs, engines } = root();
  const manifest = {
    name: 'qkv-cli',
    version,
    description: 'The command qkv for Node: translates, scores and inspects with attention models, on this device',
    keywords: ['translation', 'attention', 'transformer', 'cli', 'qkv'],
    ...{ license, author, homepage, repository, bugs, type: 'module' },
    bin: { qkv: './qkv.js' },
    files: ['*.js', '*.mjs', '*.wasm', 'CHANGELOG.md', 'THIRD_PARTY.txt'],
    engines,
  };
  write(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  write(join(out, 'README.md'), readFileSync(at('web', 'docs', 'command.md'), 'utf8'));
}
