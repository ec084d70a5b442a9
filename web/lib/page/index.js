// `qkv/page`: a page translated in place, and <qkv-translate>, which does it at a click. A door of its own; importing it does nothing.
export { translatePage } from './page.js';
export { PageTranslation } from './translate-page.js';
export { TranslateElement, defineTranslate } from './element.js';

/** @typedef {import('./page.js').PageOptions} PageOptions */
/** @typedef {import('./translate-page.js').Progress} Progress */
