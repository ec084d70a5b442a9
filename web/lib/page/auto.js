// <script type="module" src=".../page-auto.js" data-to="fr">: a page that offers itself in another language, with one line. Attributes:
// data-to, data-languages, data-from, data-base-url, data-bilingual as those of <qkv-translate>; data-start: it is translated at once.
import { defineTranslate } from './element.js';

/** Adds the button to the page that has the script; nothing where there is no page. */
function addButton() {
  if (!globalThis.document) return;
  defineTranslate();
  const scripts = [...document.querySelectorAll('script[type=module][src]')];
  const script = /** @type {HTMLScriptElement[]} */ (scripts).find(({ src }) => src === import.meta.url);
  const given = script?.dataset ?? {};
  const button = /** @type {import('./element.js').TranslateElement} */ (document.createElement('qkv-translate'));
  button.setAttribute('floating', '');
  const names = { to: 'to', languages: 'languages', from: 'from', baseUrl: 'base-url', bilingual: 'bilingual' };
  for (const [key, name] of Object.entries(names)) {
    const value = given[key];
    if (value !== undefined) button.setAttribute(name, value);
  }
  document.body.append(button);
  if (given.start !== undefined) void button.start();
}

addButton();
