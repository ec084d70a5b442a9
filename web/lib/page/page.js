// The function `translatePage`, and its options.
import { readFields } from '../base/arguments.js';
import { Translator } from '../api/translator.js';
import { PageTranslation } from './translate-page.js';

/** @typedef {import('../api/translate-options.js').CreateOptions} CreateOptions */
/** @typedef {import('./translate-page.js').Progress} Progress */

const kCreate = [
  'model',
  'registry',
  'pivotLanguage',
  'baseUrl',
  'monitor',
  'worker',
  'wasm',
  'threads',
  'workers',
  'beam',
];
const kPage = ['to', 'from', 'root', 'observe', 'attributes', 'bilingual', 'signal', 'translator', ...kCreate];

/**
 * @typedef {object} PageOptionsFields
 * @property {string} [to] the language to translate into; not needed with a translator
 * @property {string} [from] the page's language; default: its `lang`, otherwise English
 * @property {Element} [root] what to translate; default: the page with its title
 * @property {boolean} [observe] false: later changes of the page are not translated; default: true
 * @property {boolean} [attributes] false: attributes stay; default: true
 * @property {boolean} [bilingual] true: each text stays, with its translation below it
 * @property {AbortSignal | null} [signal] ends the translation; finished parts stay
 * @property {Translator} [translator] translates the sentences; default: one that is created with the other options
 */
/** @typedef {PageOptionsFields & Omit<CreateOptions, 'sourceLanguage' | 'targetLanguage' | 'signal'>} PageOptions including those of `Translator.create` */

/**
 * Translates a page in place: first the texts in view, the others when they are scrolled into view. Code, elements with
 * translate="no" and text that a person edits stay (docs/markup.md). A page has one translation at a time: a second
 * translation of the same elements undoes the first.
 * @param {PageOptions} options
 * @returns {Promise<PageTranslation>} resolves when there is a translator; rejects as `Translator.create` does
 */
export async function translatePage(options) {
  const {
    to,
    from,
    root = document.documentElement,
    observe = true,
    attributes = true,
    ...more
  } = readFields(options, 'translatePage', kPage);
  const { bilingual = false, signal, translator, ...create } = more;
  const sourceLanguage = from ?? (document.documentElement.lang.split('-')[0] || 'en');
  const translating =
    translator ?? (await Translator.create({ ...create, sourceLanguage, targetLanguage: to, signal }));
  signal?.throwIfAborted();
  const page = new PageTranslation(translating, root, { observe, attributes, bilingual });
  signal?.addEventListener('abort', () => page.stop(), { once: true });
  return page;
}
