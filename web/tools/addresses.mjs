// Adds to each page what other sites and search engines read: a preview. If the address of the site is known (QKV_SITE, such as
// https://example.org/qkv/), also the page's own address, its languages, and a list of all pages.

import { ToolError } from './common.mjs';

const kPicture = 'preview.png';
/** The pages with texts in several languages, by `?lang=`. @type {Record<string, Record<string, string>>} */
const kLanguages = { 'attention.html': { en: 'en', 'zh-Hans': 'zh' } };

/** The site's address, with a slash at its end; null if it is not known. @param {string} [given] */
export function siteAddress(given = process.env.QKV_SITE) {
  if (!given) return null;
  if (!/^https?:\/\/[^?#]+$/.test(given)) throw new ToolError(`QKV_SITE is not the address of a site: ${given}`);
  return given.replace(/\/*$/, '/');
}

/** A page's address in the site. The address of index.html is that of its folder. @param {string} path @param {string} site */
const addressOf = (path, site) => site + path.replace(/(^|\/)index\.html$/, '$1');

/**
 * Adds the preview to a page, with the page's own title and description.
 * @param {string} html
 * @param {string} path in the site
 * @param {string | null} site
 */
export function withPreview(html, path, site) {
  const title = /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? 'qkv';
  const description = /<meta name="description" content="([^"]*)"/.exec(html)?.[1] ?? '';
  const up = '../'.repeat(path.split('/').length - 1);
  const meta = (/** @type {string} */ property, /** @type {string} */ content) =>
    `<meta property="og:${property}" content="${content}" />`;
  const lines = [
    meta('type', 'website'),
    meta('site_name', 'qkv'),
    meta('title', title),
    meta('description', description),
    meta('image', (site ?? up) + kPicture),
    '<meta name="twitter:card" content="summary_large_image" />',
    ...(site ? addresses(path, site) : []),
  ];
  return html.replace('</head>', `  ${lines.join('\n    ')}\n  </head>`);
}

/** @param {string} path @param {string} site */
function addresses(path, site) {
  const own = addressOf(path, site);
  const others = Object.entries(kLanguages[path] ?? {}).map(
    ([code, language]) => `<link rel="alternate" hreflang="${code}" href="${own}?lang=${language}" />`,
  );
  return [`<link rel="canonical" href="${own}" />`, `<meta property="og:url" content="${own}" />`, ...others];
}

/** The list of all pages, in the format of sitemaps.org. @param {string[]} paths @param {string} site */
export function sitemap(paths, site) {
  const urls = paths.toSorted().map((path) => `  <url><loc>${encodeURI(addressOf(path, site))}</loc></url>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    '</urlset>',
    '',
  ].join('\n');
}
