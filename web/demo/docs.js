// A page of the documents: the theme, the list of pages on a phone, and the search.

import { bindSearch } from './docs/search.js';
import { bindTheme } from './shared/theme.js';

bindTheme(/** @type {HTMLFieldSetElement} */ (document.querySelector('#theme')));

// On a narrow screen the list of pages is closed at first. An open list would push the page down.
const pages = /** @type {HTMLDetailsElement} */ (document.querySelector('.pages'));
const wide = matchMedia('(min-width: 800px)');
const follow = () => {
  pages.open = wide.matches;
};
wide.addEventListener('change', follow);
follow();

bindSearch(
  /** @type {HTMLInputElement} */ (document.querySelector('#search')),
  /** @type {HTMLElement} */ (document.querySelector('#results')),
  new URL(`${document.body.dataset.docs}./`, location.href),
);
