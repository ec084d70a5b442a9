// Writes the npm package files of each model folder that is a package: package.json, the module with the files' URLs,
// its types, and manifest.json with the files' sizes. Run it after a model has changed; a test fails otherwise.
//
// usage: model-packages.mjs

import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { at } from './common.mjs';

/** The packages, by their folder in web/models: the language of each. @type {Record<string, string>} */
export const packages = { 'en-fr': 'French', 'en-de': 'German', 'en-es': 'Spanish' };

const kOf =
  /^(config\.json|generation_config\.json|vocab\.json|source\.spm|target\.spm|shortlist\.bin|model\.safetensors)$/;

/**
 * The texts of the files that make a package of a model's folder, by their names.
 * @param {string} name the folder's
 * @returns {Record<string, string>}
 */
export function packageTexts(name) {
  const folder = at('web', 'models', name);
  const names = readdirSync(folder).filter((file) => kOf.test(file));
  const sizes = Object.fromEntries(names.map((file) => [file, statSync(`${folder}/${file}`).size]));
  return {
    'package.json': json(manifest(name, names)),
    'manifest.json': json({ files: sizes }),
    'index.js': moduleText(name, sizes),
    'index.cjs': "'use strict';\nmodule.exports = require('./index.js').default;\n",
    'index.d.ts': `${kTypes}\ndeclare const model: ModelPackage;\nexport default model;\n`,
    'index.d.cts': `${kTypes}\ndeclare const model: ModelPackage;\nexport = model;\n`,
  };
}

const json = (/** @type {object} */ value) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * @param {string} name
 * @param {string[]} files
 */
function manifest(name, files) {
  const { version, license, author, homepage, repository, bugs, engines } = JSON.parse(
    readFileSync(at('package.json'), 'utf8'),
  );
  const scripts = ['index.js', 'index.cjs', 'index.d.ts', 'index.d.cts', 'manifest.json'];
  return {
    name: `qkv-${name}`,
    version,
    description: `A model that translates English to ${packages[name]}, for qkv`,
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
 * @param {Record<string, number>} sizes
 */
function moduleText(name, sizes) {
  const [source, target] = name.split('-');
  const lines = (/** @type {(file: string) => string | number} */ value) =>
    Object.keys(sizes)
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
${lines((file) => sizes[file])}  },
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
}
`;

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const name of Object.keys(packages)) {
    for (const [file, text] of Object.entries(packageTexts(name))) writeFileSync(at('web', 'models', name, file), text);
  }
}
