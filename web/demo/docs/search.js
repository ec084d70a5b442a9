// Searches the documents without a server. The build makes an index, which is fetched when the field is first used.

import { make } from '../shared/dom.js';
import { searchOptions } from './search-options.js';

const kMost = 8;

/** The index, and the library that reads it. @param {URL} url */
async function load(url) {
  const [{ default: MiniSearch }, response] = await Promise.all([import('minisearch'), fetch(url)]);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return MiniSearch.loadJSON(await response.text(), searchOptions);
}

/**
 * @param {HTMLInputElement} field a combobox
 * @param {HTMLElement} list its listbox
 * @param {URL} docs the folder of the documents and of their index
 */
export function bindSearch(field, list, docs) {
  /** @type {Promise<import('minisearch').default> | undefined} */
  let loading;
  let chosen = -1;
  const index = () =>
    (loading ??= load(new URL('search.json', docs)).catch((error) => {
      loading = undefined;
      throw error;
    }));

  // The list of results: its entries, the chosen one, and whether it is open.
  const links = () => [...list.querySelectorAll('a')];
  const choose = (/** @type {number} */ i) => {
    chosen = i;
    for (const [at, link] of links().entries()) link.setAttribute('aria-selected', String(at === i));
    if (i >= 0) field.setAttribute('aria-activedescendant', `result-${i}`);
    else field.removeAttribute('aria-activedescendant');
  };
  const show = (/** @type {boolean} */ open) => {
    list.hidden = !open;
    field.setAttribute('aria-expanded', String(open));
    choose(-1);
  };
  const say = (/** @type {string} */ text) => {
    list.replaceChildren(make('li.none', { role: 'option', 'aria-disabled': 'true' }, text));
    show(true);
  };

  // A search. Its results are shown only if the field still has the same text.
  const search = async () => {
    const text = field.value.trim();
    if (text === '') return show(false);
    let found;
    try {
      found = (await index()).search(text).slice(0, kMost);
    } catch {
      return say('The index could not be loaded. Try again.');
    }
    if (field.value.trim() !== text) return; // the reader has typed more
    if (found.length === 0) return say(`Nothing about “${text}”`);
    list.replaceChildren(...found.map((result, i) => resultItem(result, i, docs)));
    show(true);
  };

  // Keys and presses.
  field.addEventListener('focus', () => void index().catch(() => {}), { once: true });
  field.addEventListener('input', () => void search());
  field.addEventListener('keydown', (event) => {
    const count = links().length;
    if (event.key === 'Escape') show(false);
    else if (list.hidden || count === 0) return;
    else if (event.key === 'ArrowDown') choose((chosen + 1) % count);
    else if (event.key === 'ArrowUp') choose((chosen + count - 1 + (chosen < 0 ? 1 : 0)) % count);
    else if (event.key === 'Enter') links()[Math.max(chosen, 0)].click();
    else return;
    event.preventDefault();
  });
  document.addEventListener('pointerdown', (event) => {
    if (!field.parentElement?.contains(/** @type {Node} */ (event.target))) show(false);
  });
  list.addEventListener('click', () => show(false));
}

/** @param {import('minisearch').SearchResult} result @param {number} i @param {URL} docs */
function resultItem({ title, page, url }, i, docs) {
  const name = make('span', {}, title);
  const where = title === page ? [] : [make('small', {}, page)];
  const link = make('a', { href: new URL(url, docs).href, id: `result-${i}`, role: 'option', tabIndex: -1 });
  link.append(name, ...where);
  return make('li', { role: 'presentation' }, link);
}
