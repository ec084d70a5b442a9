// Writes the npm package files of the models that are packages: package.json, the module with the files' URLs, its types, and
// manifest.json with the files' sizes and hashes. It also writes the library's list of these pairs. Run it after a model has
// changed; otherwise a test fails. For given folders it only writes manifest.json.
//
// Both list what a page downloads: source.spm as gzip packs it, source.spm.packed, and no vocab.json that says the same as it. Other
// programs, and the native command, read the folder's source.spm and vocab.json.
//
// usage: model-packages.mjs [FOLDER...]

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { at } from './common.mjs';
import { piecesOf } from './spm-pieces.mjs';

/**
 * The packages, by their folder in web/models: the BLEU on 2,000 sentences of Tatoeba, as in the folder's README.md.
 * @type {Record<string, {bleu: number}>}
 */
export const packages = {
  'en-fr': { bleu: 43.5 },
  'en-de': { bleu: 36.3 },
  'en-es': { bleu: 46.3 },
  'fr-en': { bleu: 45.0 },
  'de-en': { bleu: 36.2 },
  'es-en': { bleu: 50.7 },
};

/** The files of a folder that are not part of the model. */
const kBeside = /^(manifest\.json|package\.json|tokenizer_config\.json|index\..*|.*\.md|\..*)$/;

const kVocabulary = 'vocab.json';
const kPieces = 'source.spm';
const kPackedPieces = `${kPieces}.packed`;

/** The model's files in a folder. @param {string} folder */
function namesIn(folder) {
  const isFile = (/** @type {string} */ name) => statSync(join(folder, name)).isFile(); // also through a link
  return readdirSync(folder).filter((name) => !kBeside.test(name) && isFile(name));
}

/**
 * Whether vocab.json says what an engine assumes without it: row i is piece i of source.spm, and the row behind them is <pad>.
 * @param {string} folder
 */
function isVocabularyKnown(folder) {
  if (['target.spm', 'target_vocab.json'].some((name) => existsSync(join(folder, name)))) return false;
  const rows = Object.entries(JSON.parse(readFileSync(join(folder, kVocabulary), 'utf8')));
  const pieces = [...piecesOf(readFileSync(join(folder, kPieces))), '<pad>'];
  return rows.length === pieces.length && rows.every(([piece, row]) => pieces[row] === piece);
}

/**
 * The files that a page downloads: the size of each in bytes, and its SHA-256.
 * @param {string} folder
 * @returns {Record<string, {size: number, sha256: string}>}
 */
export function filesIn(folder) {
  const all = namesIn(folder);
  const isLeftOut = (/** @type {string} */ name) =>
    name === kVocabulary ? isVocabularyKnown(folder) : name === kPieces && all.includes(kPackedPieces);
  const names = all.filter((name) => !isLeftOut(name));
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const bytes = readFileSync(join(folder, name));
      return [name, { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }];
    }),
  );
}

/**
 * The files that turn a model's folder into a package: their texts by name.
 * @param {string} name the folder's
 * @returns {Record<string, string>}
 */
export function packageTexts(name) {
  const files = filesIn(at('web', 'models', name));
  const [sourceLanguage, targetLanguage] = name.split('-');
  const { license } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  const about = { name, sourceLanguage, targetLanguage, license, bleu: packages[name].bleu };
  return {
    'package.json': json(packageManifest(name, namesIn(at('web', 'models', name)).toSorted())),
    'manifest.json': json({ ...about, files }),
    'index.js': moduleText(name, files),
    'index.cjs': "'use strict';\nmodule.exports = require('./index.js').default;\n",
    'index.d.ts': `${kTypes}\ndeclare const model: ModelPackage;\nexport default model;\n`,
    'index.d.cts': `${kTypes}\ndeclare const model: ModelPackage;\nexport = model;\n`,
  };
}

/** The other model folders in web/models, which the demo loads by their URLs. */
export const otherFolders = () =>
  ['compared', 'english'].flatMap((group) => {
    const entries = readdirSync(at('web', 'models', group), { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => at('web', 'models', group, name));
  });

/** The manifest of a folder that is not a package: its name and its files. @param {string} folder */
export const manifestText = (folder) => json({ name: basename(join(folder)), files: filesIn(folder) });

/** The library's list of the pairs that there are packages for. */
export const pairsText =
  () => `// The pairs of languages that there are packages for. Written by web/tools/model-packages.mjs.
export const packagePairs = [${Object.keys(packages)
    .map((pair) => `'${pair}'`)
    .join(', ')}];
`;

/**
 * Writes source.spm.packed, unless it is there with the same content. The command gzip makes it a tenth smaller than Node's zlib.
 * @param {string} folder
 */
function packPieces(folder) {
  const [pieces, packed] = [kPieces, kPackedPieces].map((name) => join(folder, name));
  if (existsSync(packed) && gunzipSync(readFileSync(packed)).equals(readFileSync(pieces))) return;
  writeFileSync(packed, execFileSync('gzip', ['-9', '-n', '-c', pieces]));
}

const json = (/** @type {object} */ value) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * @param {string} name
 * @param {string[]} files
 */
function packageManifest(name, files) {
  // The version and the addresses come from the package qkv, the only place where they are written.
  const { version, license, author, homepage, repository, bugs, engines } = JSON.parse(
    readFileSync(at('package.json'), 'utf8'),
  );
  const [from, to] = name.split('-').map((tag) => new Intl.DisplayNames('en', { type: 'language' }).of(tag));
  const scripts = ['index.js', 'index.cjs', 'index.d.ts', 'index.d.cts', 'manifest.json'];
  return {
    name: `qkv-${name}`,
    version,
    description: `A model that translates ${from} to ${to}, for qkv`,
    keywords: ['translation', 'marian', 'model', 'qkv'],
    license,
    author,
    homepage,
    repository: { ...repository, directory: `web/models/${name}` },
    bugs,
    type: 'module',
    sideEffects: false,
    main: './index.js',
    types: './index.d.ts',
    exports: {
      '.': {
        require: { types: './index.d.cts', default: './index.cjs' },
        default: { types: './index.d.ts', default: './index.js' },
      },
      './*': './*',
    },
    files: [...scripts, ...files, 'tokenizer_config.json', 'CREDITS.md'],
    engines,
  };
}

/**
 * @param {string} name
 * @param {Record<string, {size: number, sha256: string}>} files
 */
function moduleText(name, files) {
  const [source, target] = name.split('-');
  const lines = (/** @type {(file: string) => string | number} */ value) =>
    Object.keys(files)
      .map((file) => `    '${file}': ${value(file)},\n`)
      .join('');
  return `// Where the model's files are: each is one literal \`new URL(..., import.meta.url)\`, which bundlers know how to follow.
export default {
  name: '${name}',
  sourceLanguage: '${source}',
  targetLanguage: '${target}',
  files: {
${lines((file) => `new URL('./${file}', import.meta.url).href`)}  },
  /** In bytes. */
  sizes: {
${lines((file) => files[file].size)}  },
  /** SHA-256. */
  hashes: {
${lines((file) => `'${files[file].sha256}'`)}  },
};
`;
}

const kTypes = `/** What \`Translator.create\` takes as its option \`model\`. */
interface ModelPackage {
  /** The languages, as in 'en-fr'. */
  name: string;
  sourceLanguage: string;
  targetLanguage: string;
  /** The URL of each file. */
  files: Record<string, string>;
  /** The size of each file, in bytes. */
  sizes: Record<string, number>;
  /** The SHA-256 of each file, in hexadecimal digits. */
  hashes: Record<string, string>;
}
`;

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const given = process.argv.slice(2);
  for (const folder of given.length > 0 ? given : otherFolders()) {
    writeFileSync(join(folder, 'manifest.json'), manifestText(folder));
  }
  for (const name of given.length > 0 ? [] : Object.keys(packages)) {
    packPieces(at('web', 'models', name));
    const texts = Object.entries(packageTexts(name));
    for (const [file, text] of texts) writeFileSync(at('web', 'models', name, file), text);
  }
  if (given.length === 0) writeFileSync(at('web', 'lib', 'api', 'pairs.js'), pairsText());
}
