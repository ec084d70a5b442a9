// Previews, addresses and the list of pages.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { siteAddress, sitemap, withPreview } from '../../web/tools/addresses.mjs';
import { built } from '../web/chromium.js';

const kPage = '<head>\n    <meta name="description" content="What it is." />\n    <title>A · qkv</title>\n  </head>';

test('a page has its preview, with whole addresses where the site is known', () => {
  const plain = withPreview(kPage, 'docs/reference/a.html', null);
  expect(plain).toContain('<meta property="og:title" content="A · qkv" />');
  expect(plain).toContain('<meta property="og:description" content="What it is." />');
  expect(plain).toContain('<meta property="og:image" content="../../preview.png" />');
  expect(plain).not.toMatch(/canonical|og:url|hreflang/);
  const known = withPreview(kPage, 'attention.html', 'https://a.org/q/');
  expect(known).toContain('<meta property="og:image" content="https://a.org/q/preview.png" />');
  expect(known).toContain('<link rel="canonical" href="https://a.org/q/attention.html" />');
  expect(known).toContain('<link rel="alternate" hreflang="zh-Hans" href="https://a.org/q/attention.html?lang=zh" />');
});

test('the list has every page once, by its address', () => {
  expect(
    sitemap(['index.html', 'docs/index.html', 'docs/a b.html'], 'https://a.org/q/').match(/<loc>.*?<\/loc>/g),
  ).toEqual([
    '<loc>https://a.org/q/docs/a%20b.html</loc>',
    '<loc>https://a.org/q/docs/</loc>',
    '<loc>https://a.org/q/</loc>',
  ]);
});

test('the address of a site ends with a slash; anything else is refused', () => {
  expect(siteAddress('')).toBe(null);
  expect(siteAddress('https://a.org/q')).toBe('https://a.org/q/');
  expect(() => siteAddress('a.org')).toThrow('QKV_SITE is not the address of a site: a.org');
  expect(() => siteAddress('https://a.org/?x')).toThrow('QKV_SITE');
});

const pages = readdirSync(built.site, { recursive: true })
  .map(String)
  .filter((path) => /^([\w-]+|docs\/[\w-]+)\.html$/.test(path));

test('each page has a title and a description of its own, and a preview whose picture is there', () => {
  const read = (path) => {
    const html = readFileSync(join(built.site, path), 'utf8');
    const content = (name) => new RegExp(`(?:name|property)="${name}" content="([^"]*)"`).exec(html)?.[1];
    const title = /<title>(.*?)<\/title>/.exec(html)[1];
    return { title, description: content('description'), shown: content('og:title'), picture: content('og:image') };
  };
  const found = pages.map((path) => ({ path, ...read(path) }));
  expect(found.length).toBeGreaterThan(30);
  for (const { path, title, description, shown, picture } of found) {
    expect([path, shown]).toEqual([path, title]);
    expect([path, description.length > 30 && description.length < 170]).toEqual([path, true]);
    expect([path, readFileSync(join(built.site, path, '..', picture)).length > 10_000]).toEqual([path, true]);
  }
  const descriptions = found.map(({ description }) => description);
  expect(new Set(found.map(({ title }) => title)).size).toBe(found.length);
  expect(descriptions.filter((one, i) => descriptions.indexOf(one) !== i)).toEqual([]);
});
