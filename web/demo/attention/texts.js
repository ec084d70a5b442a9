// The texts in the reader's language. English is in the page's own script. Each other language is a chunk, which is downloaded
// only if it is used.

import { en } from './texts/en.js';

/** @typedef {typeof en} Texts */

const kStored = 'qkv-language';

/** Each language: its own name for itself, its code in HTML, and its texts. @type {Record<string, {name: string, code: string, load: () => Promise<Texts>}>} */
export const languages = {
  en: { name: 'English', code: 'en', load: async () => en },
  zh: { name: '中文', code: 'zh-Hans', load: async () => (await import('./texts/zh.js')).zh },
};

/** The texts of the language in use. Modules read them when they draw, not when they are loaded. @type {Texts} */
export let texts = en;

/**
 * The language of the page: the one in the address, or the one that was chosen earlier, or the first known language of the
 * browser's.
 * @param {string} search of the address
 * @param {string | null} stored
 * @param {readonly string[]} wanted the browser's languages
 */
export function languageOf(search, stored, wanted) {
  const tags = [new URLSearchParams(search).get('lang'), stored, ...wanted];
  const known = tags.map((tag) => tag?.split('-')[0].toLowerCase() ?? '').find((tag) => Object.hasOwn(languages, tag));
  return known ?? 'en';
}

/** The language that was chosen on this device. */
function stored() {
  try {
    return localStorage.getItem(kStored);
  } catch {
    return null;
  }
}

/** @param {string} language a key of `languages` */
export async function useLanguage(language) {
  texts = await languages[language].load();
}

/**
 * Loads the reader's language, and puts its texts into the HTML: `data-text` and `data-label` name texts of `markup`.
 * @param {Document} root
 */
export async function translatePage(root) {
  const language = languageOf(location.search, stored(), navigator.languages);
  try {
    await useLanguage(language);
  } catch {
    return; // The file did not load. The page stays in English.
  }
  root.documentElement.lang = languages[language].code;
  const all = (/** @type {string} */ name) =>
    /** @type {HTMLElement[]} */ ([...root.querySelectorAll(`[data-${name}]`)]);
  for (const one of all('text')) one.textContent = texts.markup[one.dataset.text ?? ''] ?? one.textContent;
  for (const one of all('label')) {
    const label = texts.markup[one.dataset.label ?? ''];
    if (label) one.setAttribute('aria-label', label);
  }
  bindSwitch(/** @type {HTMLElement} */ (root.getElementById('languages')), language);
}

/** Makes the links lead to the same state in each language. @param {HTMLElement} host @param {string} current */
function bindSwitch(host, current) {
  for (const link of host.querySelectorAll('a')) {
    const language = link.hreflang.split('-')[0];
    if (language === current) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
    link.addEventListener('click', () => {
      const params = new URLSearchParams(location.search);
      params.set('lang', language);
      link.href = `?${params}${location.hash}`;
      try {
        localStorage.setItem(kStored, language);
      } catch {
        // Without storage only the address has the language.
      }
    });
  }
}

/** An equation with its words in the reader's language. @param {string} source for web/view/math.js */
export const translatedEquation = (source) =>
  source.replace(/\\text\{( ?)(.*?)( ?)\}/g, (_, before, words, after) => {
    return `\\text{${before}${texts.inEquations[words] ?? words}${after}}`;
  });

/** The texts of a lesson. @param {string} id @returns {{title: string, about: string[], question?: string, without?: string, exercise?: string}} */
export const lessonTexts = (id) => texts.lessons[/** @type {keyof Texts['lessons']} */ (id)];
