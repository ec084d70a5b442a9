// `qkv/page`: translates a page in place; <qkv-translate> does it at a click. The import itself changes nothing.
export { translatePage } from './page.js';
export { PageTranslation } from './translate-page.js';
export { TranslateElement, defineTranslate } from './element.js';

/** @typedef {import('./page.js').PageOptions} PageOptions */
/** @typedef {import('./translate-page.js').Progress} Progress */
