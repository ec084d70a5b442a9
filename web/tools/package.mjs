// Turns dist/ into an npm package: writes its manifest, its types for each way to import it, its README and its documents.

import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { at, run } from './common.mjs';
import { packages } from './model-packages.mjs';

/** @param {string} out dist/, with the scripts in it */
export async function writePackage(out) {
  await writeTypes(out);
  writeCommonJs(out);
  writeManifest(out);
  writeDocuments(out);
}

const root = () => JSON.parse(readFileSync(at('package.json'), 'utf8'));

/** The entry points that are scripts, each with its module in web/. */
const kEntryPoints = {
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

/** The entry points that only have types. */
const kTypeEntryPoints = ['view/react', 'view/svelte', 'view/vue'];

/**
 * Writes the types: those of the JSDoc, those written by hand, and one file beside each entry point for tools that do not
 * read `exports`.
 * @param {string} out
 */
async function writeTypes(out) {
  const tsc = at('node_modules', 'typescript', 'bin', 'tsc');
  const types = join(out, 'types');
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', 'web', '--outDir', types];
  await run(process.execPath, [tsc, '-p', '.', ...emit]);
  // A program that uses the package may not have the types of Node.
  const runtime = join(types, 'lib', 'base', 'runtime.d.ts');
  write(runtime, readFileSync(runtime, 'utf8').replace(/typeof import\("node:[^"]+"\)/g, 'any'));
  for (const folder of ['lib', 'view']) {
    const names = readdirSync(at('web', folder), { recursive: true }).map(String);
    for (const name of names.filter((file) => file.endsWith('.d.ts'))) {
      cpSync(at('web', folder, name), join(types, folder, name));
    }
  }
  for (const [entry, module] of Object.entries(kEntryPoints)) {
    const path = posix.relative(posix.dirname(entry), `types/${module}`);
    const upwards = posix.relative(posix.dirname(entry), 'types/lib/platform.d.ts');
    const platform = `/// <reference path="${upwards}" />\n`;
    write(join(out, `${entry}.d.ts`), `${platform}export * from './${path}';\n`.replace('./../', '../'));
  }
  for (const entry of kTypeEntryPoints)
    write(join(out, `${entry}.d.ts`), `import '../types/${entry}.js';\nexport {};\n`);
  removeUnused(out);
}

/** Removes the types that no entry point imports, which are half of the files. @param {string} out */
function removeUnused(out) {
  const entries = [...Object.keys(kEntryPoints), ...kTypeEntryPoints].map((entry) => join(out, `${entry}.d.ts`));
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
  const used = new Set(
    ts
      .createProgram(entries, options)
      .getSourceFiles()
      .map(({ fileName }) => posix.normalize(fileName)),
  );
  for (const name of readdirSync(join(out, 'types'), { recursive: true }).map(String)) {
    const file = join(out, 'types', name);
    if (statSync(file).isFile() && !used.has(file)) rmSync(file);
  }
}

/** Writes the files for `require`: scripts that load the same modules, and types for CommonJS. @param {string} out */
function writeCommonJs(out) {
  const folder = join(out, 'cjs');
  write(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  cpSync(join(out, 'types'), join(folder, 'types'), { recursive: true });
  for (const entry of Object.keys(kEntryPoints)) {
    const up = posix.relative(posix.dirname(`cjs/${entry}`), entry);
    write(join(folder, `${entry}.js`), `'use strict';\nmodule.exports = require('${up}.js');\n`);
  }
  for (const entry of [...Object.keys(kEntryPoints), ...kTypeEntryPoints]) {
    cpSync(join(out, `${entry}.d.ts`), join(folder, `${entry}.d.ts`));
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
 * Writes README, LICENSE and web/docs, with links that work in the package. Documents for developers of qkv stay in
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
  const documents = ['README.md', ...used.map((page) => `web/docs/${page}`)];
  for (const path of documents) write(join(out, placeOf(path)), relinked(path, new Set(documents)));
}

/** The path of a document of the repository in the package. */
const placeOf = (/** @type {string} */ path) => path.replace(/^web\//, '');

/**
 * Rewrites the links of a document. Links to documents of the package lead there. Other links into the repository, and
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

/**
 * Writes package.json and README of the pages, for `qkv serve`. Models that are packages are dependencies, and are not copied.
 * @param {string} out
 */
export function writeDemoPackage(out) {
  const { version, license, author, homepage, repository, bugs, engines } = root();
  const models = Object.keys(packages);
  const manifest = {
    name: 'qkv-demo',
    version,
    description: 'The pages of qkv with their models, for `qkv serve`: translation and attention without a network',
    keywords: ['translation', 'attention', 'transformer', 'demo', 'qkv'],
    ...{ license, author, homepage, repository, bugs },
    files: ['*', ...models.map((name) => `!models/${name}`)],
    dependencies: Object.fromEntries(models.map((name) => [`qkv-${name}`, version])),
    engines,
  };
  write(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(at('LICENSE'), join(out, 'LICENSE'));
  const start =
    'The pages of [qkv](https://www.npmjs.com/package/qkv), their documents and their models, without a network:';
  write(join(out, 'README.md'), `# qkv-demo\n\n${start}\n\n    npm install qkv-cli qkv-demo\n    npx qkv serve\n`);
}

/** Writes package.json and README of the command in Node. @param {string} out */
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
