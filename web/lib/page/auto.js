// <script type="module" src=".../page-auto.js" data-to="fr"> adds a button to a page, which translates the page.
// data-to, data-languages, data-from, data-base-url and data-bilingual are the attributes of <qkv-translate>. With
// data-start the page is translated immediately.
import { defineTranslate } from './element.js';

/** Adds the button to the page that has the script. Without a page it does nothing. */
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
