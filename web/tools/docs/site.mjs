// Makes the pages of the documents in web/docs, below docs/ on the site. web/docs/contents.json has their groups. There is an
// index for the search. The API reference is made from the package's types.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { searchOptions } from '../../demo/docs/search-options.js';
import { ToolError, at } from '../common.mjs';
import { render, siteLink } from './markdown.mjs';
import { reference } from './reference.mjs';

/**
 * @typedef {object} Document
 * @property {string} path below docs/, with the suffix .md
 * @property {string} source
 * @property {boolean} [hasAnchors] whether it has HTML anchors and ids such as `{#id}` after headings
 * @property {string} [group] its group in the contents; pages of details belong to none
 */

/** @returns {Document[]} */
function written() {
  const folder = at('web', 'docs');
  /** @type {{name: string, pages: string[]}[]} */
  const contents = JSON.parse(readFileSync(join(folder, 'contents.json'), 'utf8'));
  const groups = new Map(contents.flatMap(({ name, pages }) => pages.map((page) => [page, name])));
  const paths = readdirSync(folder, { recursive: true }).map(String);
  const documents = paths.filter((path) => path.endsWith('.md'));
  const missing = documents.filter((path) => !path.includes('/') && !groups.has(path));
  const unknown = [...groups.keys()].filter((path) => !documents.includes(path));
  if (missing.length + unknown.length > 0)
    throw new ToolError(`contents.json and web/docs differ: ${[...missing, ...unknown].join(', ')}`);
  const inOrder = [...groups.keys(), ...documents.filter((path) => !groups.has(path)).sort()];
  return inOrder.map((path) => ({ path, source: readFileSync(join(folder, path), 'utf8'), group: groups.get(path) }));
}

const titleOf = (/** @type {string} */ source) => /^# (.*)$/m.exec(source)?.[1].replaceAll('`', '') ?? '';
const escaped = (/** @type {string} */ text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The list of all pages, for each page. @param {Document[]} documents @param {string} current @param {string} up */
function contentsHtml(documents, current, up) {
  const groups = [...new Set(documents.flatMap(({ group }) => group ?? []))];
  const item = (/** @type {Document} */ { path, source }) => {
    const here = path === current ? ' aria-current="page"' : '';
    return `<li><a href="${up}${path.replace(/\.md$/, '.html')}"${here}>${escaped(titleOf(source))}</a></li>`;
  };
  return groups
    .map((name) => {
      const items = documents.filter(({ group }) => group === name).map(item);
      return `<h2>${name}</h2>\n<ul>${items.join('\n')}</ul>`;
    })
    .join('\n');
}

/**
 * Links to the sections of a page.
 * @param {import('./markdown.mjs').Section[]} sections
 * @param {number} deepest the largest level of a heading in the list; in the reference a class or a function has level 3
 */
function sectionsHtml(sections, deepest) {
  const items = sections
    .filter(({ level, id }) => level > 1 && level <= deepest && id !== '')
    .map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`);
  return items.length > 1 ? `<h2>On this page</h2>\n<ul>${items.join('\n')}</ul>` : '';
}

/** Links to the previous and the next page. @param {Document[]} documents @param {number} i @param {string} up */
function stepsHtml(documents, i, up) {
  const link = (/** @type {Document | undefined} */ to, /** @type {string} */ rel) =>
    to?.group === undefined || documents[i].group === undefined
      ? ''
      : `<a rel="${rel}" href="${up}${to.path.replace(/\.md$/, '.html')}">${escaped(titleOf(to.source))}</a>`;
  return link(documents[i - 1], 'prev') + link(documents[i + 1], 'next');
}

/**
 * All files of docs/: the pages, the paths of pictures, and the index for the search.
 * @param {(parts: {title: string, description: string, up: string, contents: string, body: string, sections: string,
 *     steps: string}) => string} page writes the HTML of a page; `up` is the path from it to docs/
 * @param {{withReference: boolean}} options whether to include the API reference, which needs dist/
 * @returns {Promise<{files: Map<string, string>, pictures: string[]}>} `files` by their paths below docs/
 */
export async function docsSite(page, { withReference }) {
  // The documents, and what links may lead to.
  const documents = [...written(), ...(withReference ? await reference() : [])];
  const paths = new Set(documents.map(({ path }) => path));
  const pictures = readdirSync(at('web', 'docs'), { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.svg'));
  const repository = JSON.parse(readFileSync(at('package.json'), 'utf8')).homepage.replace(/#.*$/, '');
  const site = {
    isPage: (/** @type {string} */ path) => paths.has(path),
    isPicture: (/** @type {string} */ path) => pictures.includes(path),
    repository,
  };
  // A page for each document, whose sections go into the index.
  const search = new MiniSearch(searchOptions);
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const [i, { path, source, hasAnchors }] of documents.entries()) {
    const title = titleOf(source);
    const url = path.replace(/\.md$/, '.html');
    const up = '../'.repeat(path.split('/').length - 1);
    const { html, sections } = render(source, (href) => siteLink(path, href, site), { html: hasAnchors });
    for (const section of sections) {
      const place = section.level === 1 ? url : `${url}#${section.id}`;
      // Only the names of the reference can be searched. Its sentences repeat those of the documents.
      const text = path.startsWith('reference/') ? '' : section.text;
      if (!search.has(place)) search.add({ url: place, title: section.title || title, page: title, text });
    }
    const first = sections.find(({ text }) => text !== '')?.text ?? '';
    const description = /^.{0,150}\S*/su.exec(first.trim())?.[0] ?? '';
    const parts = {
      contents: contentsHtml(documents, path, up),
      body: html,
      sections: sectionsHtml(sections, path.startsWith('reference/') ? 3 : 2),
    };
    files.set(
      url,
      page({ title, description: escaped(description), up, ...parts, steps: stepsHtml(documents, i, up) }),
    );
  }
  files.set('search.json', JSON.stringify(search));
  return { files, pictures };
}
