// Shared by the tests of the page Attention. It opens the page, reads its matrices, and compares them with those of the library
// in Node.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { javascriptOf } from '../../web/demo/attention/code.js';
import { compute } from '../../web/demo/attention/compute.js';
import { readLink } from '../../web/demo/attention/link.js';
import { presetOf, stateOfPreset } from '../../web/demo/attention/presets.js';
import { inputsOf, oriented, parametersOf, stagesOf } from '../../web/demo/attention/stages.js';
import { completed } from '../../web/demo/attention/state.js';
import { loadAttention, scores as listScores } from '../../web/lib/attention/index.js';
import { formatNumber } from '../../web/view/numbers.js';
import { nextFrame, openBrowser } from './chromium.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { build } = await loadAttention(); // the page uses the same build
export const scores = await listScores();
export const stateOf = (id) => (presetOf(id) ? stateOfPreset(id) : null);

export let browser;
/** A second page, in which links are opened. */
export let other;

export async function start() {
  browser = await openBrowser();
  other = await opened();
}

export const stop = () => browser?.close();

/** Opens the page and waits for its first numbers. */
export async function opened(hash = '', options = {}) {
  const page = await browser.open(`attention.html?engine=${build}${hash}`, options);
  await page.waitForSelector('#scene[data-version]', { state: 'attached' });
  await page.$eval('#code', (card) => (card.open = true));
  return page;
}

/** Waits until the page has computed the last change and its address has it. */
export async function settled(page) {
  await page.waitForTimeout(350); // the address follows with a delay
  await nextFrame(page);
}

/** The texts of all visible matrices: {id: [cells of a row, ...]}. */
export const shownIn = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('.workbench qkv-grid')].map((grid) => [
        grid.dataset.id,
        [...grid.querySelectorAll('tbody tr')].map((row) =>
          [...row.querySelectorAll('td')].map((cell) => cell.textContent),
        ),
      ]),
    ),
  );

/** The same texts from the library in Node, for the state in a link. */
export async function expectedOf(hash) {
  const state = completed(readLink(hash, stateOf), scores);
  const stages = stagesOf(state, await compute(state), state.pinned?.row ?? 0);
  return Object.fromEntries(
    [...inputsOf(state), ...parametersOf(state), ...stages].map((matrix) => {
      const { id, rows, columns, data, kind, isMasked } = oriented(matrix, state);
      const cell = (r, c) => (isMasked?.(r, c) ? '0' : formatNumber(data[r * columns.length + c], kind));
      const line = (_, r) => columns.map((_, c) => cell(r, c));
      return [id, rows.map(line)];
    }),
  );
}

export const hashOf = (page) => page.evaluate(() => location.hash);

/** The numbers that the page's program prints in Node, by name, formatted like the page's. */
export async function printed(page) {
  const program = await page.textContent('#program code');
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: root });
  const { stdout } = await run;
  const parts = stdout.trim().split(/^(?=[a-z]+ \[)/m);
  return Object.fromEntries(
    parts.map((part) => {
      const [head, ...lines] = part.trim().split('\n');
      return [head.split(' ')[0], lines.flatMap((line) => line.split(' ').map((x) => formatNumber(Number(x))))];
    }),
  );
}

/** The matrices that a link opens in a page with another state. */
async function linked(hash) {
  const before = await other.getAttribute('#scene', 'data-version');
  if (hash === '') await other.click('#lessons a >> nth=0');
  else {
    const isThere = (await hashOf(other)) === hash;
    if (isThere) return shownIn(other);
    await other.evaluate((wanted) => (location.hash = wanted), hash);
  }
  await other.waitForFunction((was) => document.querySelector('#scene').dataset.version !== was, before);
  return shownIn(other);
}

/**
 * Expects that the page shows the library's numbers, that its link restores it, and that its program is the one that tests/lib
 * runs.
 */
export async function holds(page) {
  await page.mouse.move(0, 0);
  await settled(page);
  const hash = await hashOf(page);
  const shown = await shownIn(page);
  expect(shown).toEqual(await expectedOf(hash));
  expect(await linked(hash)).toEqual(shown);
  const state = completed(readLink(hash, stateOf), scores);
  expect(await page.textContent('#program code')).toBe(javascriptOf(state));
}
