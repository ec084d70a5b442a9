// Converts the Markdown of web/docs to HTML. Headings get ids, code gets colours, and links between documents become links
// between pages.

import hljs from 'highlight.js/lib/common';
import MarkdownIt from 'markdown-it';
import { posix } from 'node:path';

/**
 * @typedef {object} Section a heading and the text up to the next one
 * @property {string} id of the heading; '' before the first one
 * @property {number} level 1 to 6
 * @property {string} title
 * @property {string} text without markup, for the search
 */

/**
 * The id of a heading. It is the same as on GitHub, so links with `#` work there and here.
 * @param {string} title
 */
export const slug = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** The text of inline tokens, without markup. @param {import('markdown-it').Token[] | null} tokens @returns {string} */
const plain = (tokens) =>
  (tokens ?? [])
    .map((token) => (token.type === 'text' || token.type === 'code_inline' ? token.content : plain(token.children)))
    .join('');

/** A heading's text, and the id of a `{#id}` after it, which is removed. @param {import('markdown-it').Token} inline */
function headingOf(inline) {
  const last = inline.children?.at(-1);
  const [suffix, given] = /\s*\{#([^}]+)\}$/.exec(last?.type === 'text' ? last.content : '') ?? ['', undefined];
  if (last && suffix !== '') last.content = last.content.slice(0, -suffix.length);
  return { title: plain(inline.children), given };
}

/** Code as HTML, with a class for each kind of word; '' for an unknown language. @param {string} code @param {string} language */
export function highlight(code, language) {
  if (!hljs.getLanguage(language)) return '';
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

/**
 * Gives each heading an id, unique on its page, and returns the sections.
 * @param {import('markdown-it').Token[]} tokens
 * @returns {Section[]}
 */
function sectionsOf(tokens) {
  /** @type {Section[]} */
  const sections = [{ id: '', level: 1, title: '', text: '' }];
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const { title, given } = headingOf(tokens[i + 1]);
      const name = slug(title);
      const count = seen.get(name) ?? 0;
      seen.set(name, count + 1);
      const id = given ?? (count === 0 ? name : `${name}-${count}`);
      token.attrSet('id', id);
      sections.push({ id, level: Number(token.tag[1]), title, text: '' });
    } else if (token.type === 'inline' && tokens[i - 1].type !== 'heading_open') {
      sections[sections.length - 1].text += `${plain(token.children)} `;
    }
  }
  return sections.filter(({ id, text }) => id !== '' || text !== '');
}

/**
 * A document as HTML.
 * @param {string} source the Markdown
 * @param {(href: string) => string} relink returns the new address of a link or a picture
 * @param {{html?: boolean}} [options] whether HTML within the text is kept
 * @returns {{html: string, sections: Section[]}}
 */
export function render(source, relink, { html = false } = {}) {
  const markdown = new MarkdownIt({ html, linkify: false, highlight });
  /** @type {(tokens: import('markdown-it').Token[]) => void} */
  const follow = (tokens) => {
    for (const token of tokens) {
      for (const name of ['href', 'src']) {
        const value = token.attrGet(name);
        if (value !== null) token.attrSet(name, relink(String(value)));
      }
      if (token.children) follow(token.children);
    }
  };
  // Wide tables and code blocks have their own scroll bars, which the keyboard can reach.
  markdown.renderer.rules.table_open = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
  markdown.renderer.rules.table_close = () => '</table></div>\n';
  const fence = /** @type {NonNullable<typeof markdown.renderer.rules.fence>} */ (markdown.renderer.rules.fence);
  markdown.renderer.rules.fence = (...given) => fence(...given).replace('<pre>', '<pre tabindex="0">');
  markdown.renderer.rules.code_block = (tokens, i) =>
    `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[i].content)}</code></pre>\n`;
  // Parse, give ids to headings, change the links, and write the HTML.
  const tokens = markdown.parse(source, {});
  const sections = sectionsOf(tokens);
  follow(tokens);
  return { html: markdown.renderer.render(tokens, markdown.options, {}), sections };
}

/**
 * The address of a link of a document on the site: another document's page, otherwise the file in the repository.
 * @param {string} from the document's path in web/docs
 * @param {string} href
 * @param {{isPage: (path: string) => boolean, isPicture: (path: string) => boolean, repository: string}} site `isPage`
 *     and `isPicture` get paths below web/docs
 */
export function siteLink(from, href, { isPage, isPicture, repository }) {
  if (/^[a-z]+:|^#/i.test(href)) return href;
  const [path, hash = ''] = href.split(/(?=#)/);
  const target = posix.join('web/docs', posix.dirname(from), path);
  if (target.startsWith('web/docs/')) {
    const within = target.slice('web/docs/'.length);
    if (isPage(within)) return path.replace(/\.md$/, '.html') + hash;
    if (isPicture(within)) return href;
  }
  // A page of the site, which is beside docs/.
  const page = /^web\/demo\/([\w-]+\.html(?:\?.*)?)$/.exec(target);
  if (page) return posix.join(posix.relative(posix.dirname(from), '..'), page[1]) + hash;
  return `${repository}/${/\.\w+$/.test(target) ? 'blob' : 'tree'}/main/${target}${hash}`;
}
