// Writes the npm package files of the models that are packages: package.json, the module with the files' URLs, its types, and
// manifest.json with the files' sizes and hashes. It also writes the library's list of these pairs. Run it after a model has
// changed; otherwise a test fails. For given folders it only writes manifest.json.
//
// usage: model-packages.mjs [FOLDER...]

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { at } from './common.mjs';

/**
 * The packages, by their folder in web/models: the target language, and the BLEU on 2,000 sentences of Tatoeba, as in the
 * folder's README.md.
 * @type {Record<string, {language: string, bleu: number}>}
 */
export const packages = {
  'en-fr': { language: 'French', bleu: 36.6 },
  'en-de': { language: 'German', bleu: 30.7 },
  'en-es': { language: 'Spanish', bleu: 40.7 },
};

/** The files of a folder that are not part of the model. */
const kBeside = /^(manifest\.json|package\.json|tokenizer_config\.json|index\..*|.*\.md|\..*)$/;

/**
 * The files of a model's folder: the size of each in bytes, and its SHA-256.
 * @param {string} folder
 * @returns {Record<string, {size: number, sha256: string}>}
 */
export function filesIn(folder) {
  const isFile = (/** @type {string} */ name) => statSync(join(folder, name)).isFile(); // also through a link
  const names = readdirSync(folder).filter((name) => !kBeside.test(name) && isFile(name));
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
    'package.json': json(packageManifest(name, Object.keys(files))),
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
  const scripts = ['index.js', 'index.cjs', 'index.d.ts', 'index.d.cts', 'manifest.json'];
  return {
    name: `qkv-${name}`,
    version,
    description: `A model that translates English to ${packages[name].language}, for qkv`,
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
    const texts = Object.entries(packageTexts(name));
    for (const [file, text] of texts) writeFileSync(at('web', 'models', name, file), text);
  }
  if (given.length === 0) writeFileSync(at('web', 'lib', 'api', 'pairs.js'), pairsText());
}
