// Runs axe-core in a page, which finds accessibility problems.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { nextFrame } from './chromium.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const kRules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Options of a page for axe: its script can be injected, and animations are off. */
export const forAxe = { bypassCSP: true, reducedMotion: 'reduce' };

/**
 * Names what axe found. It looks for the focus inside of what scrolls. The focus of a drawing, such as <qkv-matrix>, is on the
 * element around, whose arrow keys scroll too.
 * @param {{id: string, targets: string[]}[]} found
 */
const named = (found) =>
  found
    .map(({ id, targets }) => ({
      id,
      targets: targets.filter((target) => id !== 'scrollable-region-focusable' || !/^qkv-.* > \.scroll$/.test(target)),
    }))
    .filter(({ targets }) => targets.length > 0)
    .map(({ id, targets }) => `${id}: ${targets.join(', ')}`);

/**
 * Runs axe.
 * @param {import('playwright-core').Page} page
 * @param {string[]} [runOnly] tags of rules, or rules by their names
 * @returns {Promise<string[]>} each broken rule, and where it is broken
 */
export async function axeFinds(page, runOnly = kRules) {
  await nextFrame(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.addScriptTag({ content: axe });
  const { violations } = await page.evaluate((only) => globalThis.axe.run({ runOnly: only }), runOnly);
  return named(violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => String(target)) })));
}

/**
 * The same for a browser with another driver.
 * @param {{evaluate: (use: any, ...values: any[]) => Promise<any>}} page
 * @returns {Promise<string[]>}
 */
export async function axeFindsIn(page) {
  // The driver sends the text of the function. The page's policy does not apply to it.
  // eslint-disable-next-line no-new-func -- the text is that of a pinned package
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(new Function(axe));
  const find = async (only) => {
    const { violations } = await globalThis.axe.run({ runOnly: only });
    return violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => String(target)) }));
  };
  return named(await page.evaluate(find, kRules));
}
