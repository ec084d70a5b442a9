// The texts in the reader's language. English is in the page's own script; each other language is a chunk that only its
// readers download.

import { en } from './texts/en.js';

/** @typedef {typeof en} Texts */

const kStored = 'qkv-language';

/** What each language calls itself, its code in HTML, and its texts. @type {Record<string, {name: string, code: string, load: () => Promise<Texts>}>} */
export const languages = {
  en: { name: 'English', code: 'en', load: async () => en },
  zh: { name: '中文', code: 'zh-Hans', load: async () => (await import('./texts/zh.js')).zh },
};

/** Of the language that is in use: modules read it when they draw, not when they are loaded. @type {Texts} */
export let texts = en;

/**
 * The language of the page: the one in the address, or the one that was chosen before, or the first of the browser's that
 * there is.
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
 * Uses the reader's language, also for texts in the HTML: `data-text` and `data-label` name texts of `markup`.
 * @param {Document} root
 */
export async function speak(root) {
  const language = languageOf(location.search, stored(), navigator.languages);
  try {
    await useLanguage(language);
  } catch {
    return; // The file did not come. The page stays in English.
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

/** Links to the same place of the page in each language. @param {HTMLElement} host @param {string} current */
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
        // Without storage the address alone says it.
      }
    });
  }
}

/** An equation's words in the reader's language. @param {string} source of web/view/math.js */
export const inWords = (source) =>
  source.replace(/\\text\{( ?)(.*?)( ?)\}/g, (_, before, words, after) => {
    return `\\text{${before}${texts.inEquations[words] ?? words}${after}}`;
  });

/** A lesson's own texts. @param {string} id @returns {{title: string, about: string[], question?: string, without?: string, exercise?: string}} */
export const lessonTexts = (id) => texts.lessons[/** @type {keyof Texts['lessons']} */ (id)];
