// Runs axe-core in a page, which finds accessibility problems.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { nextFrame } from './chromium.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/**
 * Axe's options: the tags of the rules, and the results that are wanted. Only elements that break a rule are wanted. With the
 * elements that keep the rules, axe takes four times as long.
 */
const kOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
};

/** Options of a page for axe: its script can be injected, and animations are off. */
export const forAxe = { bypassCSP: true, reducedMotion: 'reduce' };

/**
 * Whether axe is wrong. It wants an element that scrolls to have the focus, or to contain an element with the focus. In a
 * drawing such as <qkv-matrix> the element around has the focus. Its arrow keys scroll the drawing.
 */
const isWrong = (/** @type {string} */ rule, /** @type {string} */ target) =>
  rule === 'scrollable-region-focusable' && /^qkv-.* > \.scroll$/.test(target);

/** The broken rules with their places. @param {{id: string, nodes: {target: unknown}[]}[]} violations */
const named = (violations) =>
  violations.flatMap(({ id, nodes }) => {
    const targets = nodes.map(({ target }) => String(target)).filter((target) => !isWrong(id, target));
    return targets.length > 0 ? [`${id}: ${targets.join(', ')}`] : [];
  });

/**
 * Runs axe.
 * @param {import('playwright-core').Page} page
 * @param {object} [options]
 * @param {string[]} [options.runOnly] the names of rules, or their tags; by default those of `kOptions`
 * @param {string} [options.within] a selector: axe checks only this part of the page
 * @returns {Promise<string[]>} each broken rule, and where it is broken
 */
export async function axeFinds(page, { within, ...others } = {}) {
  await nextFrame(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.addScriptTag({ content: axe });
  const find = ([part, options]) => globalThis.axe.run(part ? { include: [part] } : document, options);
  const { violations } = await page.evaluate(find, [within, { ...kOptions, ...others }]);
  return named(violations);
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
  const find = async (options) => {
    const { violations } = await globalThis.axe.run(options);
    return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target }) => ({ target })) }));
  };
  return named(await page.evaluate(find, kOptions));
}
