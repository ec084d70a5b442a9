// Measures how often the engine places a link around the right words, in 210 sentences.
// Each line of links.tsv has the target language, the source and the translation. Square brackets mark a link. Braces mark
// optional words inside a link: the link is right with these words and without them.
//
// The links were marked by hand before the engine's links were seen. If new weights change a translation, its links are marked
// again. 34 German and Spanish translations are an exception: their links were marked after the engine's links were seen.
//
// usage: node tests/markup/links.mjs [fr,de,es]     prints the links that are elsewhere, and the share of those that are right

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import * as htmlparser2 from 'htmlparser2';
import { Translator } from '../../web/lib/index.js';

/** The sentences of links.tsv. */
export const readLinks = () =>
  readFileSync(new URL('links.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .map(([to, source, expected]) => ({ to, source, expected }));

const asHtml = (text) => text.replaceAll('[', '<a href="#">').replaceAll(']', '</a>');
const asText = (html) => html.replaceAll(/<a [^>]*>/g, '[').replaceAll('</a>', ']');
const linksOf = (text) => Array.from(text.matchAll(/\[(.*?)\]/g), ([, link]) => link);

/** Whether a link is one of those that are marked as right. */
function isRight(link, expected) {
  const parts = expected.split(/\{(.*?)\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.map((part, i) => (i % 2 ? `(?:${part})?` : part)).join('')}$`).test(link);
}

/**
 * Translates the sentences with their links.
 * @param {{to: string, source: string, expected: string}[]} sentences
 * @param {{Parser: any}} parser the module htmlparser2
 * @returns {Promise<{links: number, right: number, wrong: string[], changed: string[]}>} `changed`: translations that are no longer
 *   those in links.tsv
 */
export async function measureLinks(sentences, parser) {
  const result = { links: 0, right: 0, wrong: [], changed: [] };
  const translators = new Map();
  for (const { to, source, expected } of sentences) {
    if (!translators.has(to)) {
      translators.set(to, await Translator.create({ sourceLanguage: 'en', targetLanguage: to }));
    }
    const got = asText(await translators.get(to).translate(asHtml(source), { format: 'html', parser }));
    if (got.replace(/[[\]]/g, '') !== expected.replace(/[[\]{}]/g, '')) {
      result.changed.push(got);
      continue;
    }
    const links = linksOf(got);
    linksOf(expected).forEach((link, i) => {
      result.links++;
      // Links may change places: each is looked for among all.
      if (links.some((other) => isRight(other, link))) result.right++;
      else result.wrong.push(`${to}  ${expected}  ${got}  (${links[i]})`);
    });
  }
  for (const translator of translators.values()) translator.destroy();
  return result;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const languages = (process.argv[2] ?? 'fr,de,es').split(',');
  const { links, right, wrong, changed } = await measureLinks(
    readLinks().filter(({ to }) => languages.includes(to)),
    htmlparser2,
  );
  for (const line of [...wrong, ...changed.map((text) => `changed: ${text}`)]) console.log(line);
  console.log(`${right} of ${links} links are right: ${((100 * right) / links).toFixed(1)} %`);
}
