// The entry point 'qkv/page': translates a page in place, by a call or by a click on <qkv-translate>. An import does nothing.
export { translatePage } from './page.js';
export { PageTranslation } from './translate-page.js';
export { TranslateElement, defineTranslate } from './element.js';

/** @typedef {import('./page.js').PageOptions} PageOptions */
/** @typedef {import('./translate-page.js').Progress} Progress */
