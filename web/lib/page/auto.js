// <script type="module" src=".../page-auto.js" data-to="fr">: a page that offers itself in another language, with one line. Attributes:
// data-to, data-languages, data-from, data-base-url, data-bilingual as those of <qkv-translate>; data-start: it is translated at once.
import { defineTranslate } from './element.js';

defineTranslate();

const script = [...document.querySelectorAll('script[type=module][src]')].find(
  (element) => /** @type {HTMLScriptElement} */ (element).src === import.meta.url,
);
const said = /** @type {HTMLScriptElement | undefined} */ (script)?.dataset ?? {};
const button = /** @type {import('./element.js').TranslateElement} */ (document.createElement('qkv-translate'));
button.setAttribute('floating', '');
const names = { to: 'to', languages: 'languages', from: 'from', baseUrl: 'base-url', bilingual: 'bilingual' };
for (const [key, name] of Object.entries(names)) if (said[key] !== undefined) button.setAttribute(name, said[key]);
document.body.append(button);
if (said.start !== undefined) void button.start();
