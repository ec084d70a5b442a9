// The detectors that are compared: how each is called, which languages it knows, and what a page downloads for it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { loadDetector, languages } from '../../../web/lib/detect/index.js';

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {(text: string, among: Set<string>) => string} detect a BCP 47 tag; a detector that can choose among given languages
 *   does
 * @property {Set<string> | null} knows tags; null: found out from what it says
 * @property {number} bytes that a page downloads, gzipped
 */

const require = createRequire(import.meta.url);
const folder = dirname(new URL(import.meta.url).pathname);

const gzipped = (/** @type {Uint8Array} */ bytes) => gzipSync(bytes, { level: 9 }).length;

/** What a bundler makes of a module, gzipped. @param {string} contents @returns {Promise<number>} */
async function bundled(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'error',
  });
  return outputFiles.reduce((sum, file) => sum + gzipped(file.contents), 0);
}

/** One language under the names that detectors use: macrolanguages, and older codes. @type {Record<string, string>} */
const kSame = {
  iw: 'he', nb: 'no', nn: 'no', nob: 'no', nno: 'no', tl: 'fil', tgl: 'fil', cmn: 'zh', zht: 'zh', arb: 'ar', pes: 'fa', prs: 'fa',
  swh: 'sw', zlm: 'ms', zsm: 'ms', lvs: 'lv', ekk: 'et', als: 'sq', khk: 'mn', azj: 'az', uzn: 'uz', npi: 'ne', ydd: 'yi',
  plt: 'mg', ory: 'or', kmr: 'ku', hat: 'ht', pbu: 'ps', pbt: 'ps',
}; // prettier-ignore

/** @param {string | undefined} name ISO 639-1 or -3, or BCP 47 */
function tagOf(name) {
  try {
    const tag = Intl.getCanonicalLocales(name || 'und')[0];
    return kSame[name ?? ''] ?? kSame[tag] ?? tag;
  } catch {
    return 'und';
  }
}
const tags = (/** @type {Iterable<string>} */ codes) => new Set([...codes].map(tagOf));

/** qkv's own. @returns {Promise<Contender>} */
async function qkv() {
  const detector = await loadDetector();
  const weights = gzipped(readFileSync(new URL('../../../web/models/detect/languages.bin', import.meta.url)));
  return {
    name: 'qkv/detect',
    detect: (text, among) =>
      detector.detect(text).find(({ detectedLanguage: tag }) => among.has(tag))?.detectedLanguage ?? 'und',
    knows: new Set(languages),
    bytes: weights + (await bundled("export { detectLanguage } from '../../../web/lib/detect/index.js'")),
  };
}

/** Trigrams of the Universal Declaration of Human Rights. @param {string} name @returns {Promise<Contender>} */
async function franc(name) {
  const module = await import(name);
  const data = await import(new URL('data.js', `file://${require.resolve(name)}`).href).catch(() => null);
  const scripts = data ? Object.values(data.data).flatMap((/** @type {object} */ each) => Object.keys(each)) : [];
  // Languages that a script alone decides are in its expressions.
  const alone = 'cmn ell hye heb tha lao mya kat amh khm kor jpn tam tel kan mal guj pan ben sin ory'.split(' ');
  const codes = [...new Set([...scripts, ...alone])];
  return {
    name,
    detect(text, among) {
      const only = codes.filter((code) => among.has(tagOf(code)));
      return tagOf(module.franc(text, { minLength: 1, only }));
    },
    knows: tags(codes),
    bytes: await bundled(`export { franc } from '${name}'`),
  };
}

/** n-grams of Tatoeba and the Universal Declaration. @param {string} name @param {string} label */
async function tinyld(name, label) {
  const { detect, supportedLanguages } = await import(name);
  return {
    name: label,
    detect: (/** @type {string} */ text) => tagOf(detect(text)),
    knows: tags(supportedLanguages),
    bytes: await bundled(`export { detect } from '${name}'`),
  };
}

/** @param {string} size */
async function eld(size) {
  const { eld: detector } = await import(`eld/${size}`);
  return {
    name: `eld/${size}`,
    detect: (/** @type {string} */ text) => tagOf(detector.detect(text).language),
    knows: tags(Object.values(detector.info().Languages)),
    bytes: await bundled(`export { eld } from 'eld/${size}'`),
  };
}

/** The network that Chrome used. */
async function cld3() {
  const { loadModule, LanguageCode } = require('cld3-asm');
  const detector = (await loadModule()).create(0, 1000);
  return {
    name: 'cld3-asm',
    detect: (/** @type {string} */ text) => tagOf(detector.findLanguage(text).language),
    knows: tags(Object.values(LanguageCode).filter((/** @type {string} */ code) => !/^und/.test(code))),
    bytes: gzipped(readFileSync(require.resolve('cld3-asm').replace(/index.js$/, 'lib/browser/cld3.js'))),
  };
}

/** @returns {Promise<Contender[]>} */
export const contenders = async () => [
  await qkv(),
  await cld3(),
  await eld('extrasmall'),
  await eld('small'),
  await eld('large'),
  await tinyld('tinyld/light', 'tinyld/light'),
  await tinyld('tinyld', 'tinyld'),
  await tinyld('tinyld/heavy', 'tinyld/heavy'),
  await franc('franc-min'),
  await franc('franc'),
  await franc('franc-all'),
];
