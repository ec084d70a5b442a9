// axe-core in a page: the accessibility problems that it finds.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { nextFrame } from './chromium.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const kRules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** How a page is opened for axe: its script may be injected, and animations are off. */
export const forAxe = { bypassCSP: true, reducedMotion: 'reduce' };

/**
 * Runs axe.
 * @param {import('playwright-core').Page} page
 * @param {string[]} [runOnly] tags of rules, or rules by their names
 * @returns {Promise<string[]>} each rule that is broken, and where
 */
export async function axeFinds(page, runOnly = kRules) {
  await nextFrame(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.addScriptTag({ content: axe });
  const { violations } = await page.evaluate((only) => globalThis.axe.run({ runOnly: only }), runOnly);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`);
}

/**
 * The same in a browser of another driver.
 * @param {{evaluate: (use: any, ...values: any[]) => Promise<any>}} page
 * @returns {Promise<string[]>}
 */
export async function axeFindsIn(page) {
  // Drivers send a function's own text, which no policy of the page refuses.
  // eslint-disable-next-line no-new-func -- the text is that of a pinned package
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(new Function(axe));
  const find = async (only) => {
    const { violations } = await globalThis.axe.run({ runOnly: only });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`);
  };
  return page.evaluate(find, kRules);
}
