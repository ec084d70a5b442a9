// The parts of the first page that the build writes: the lines of code that the page runs, and the table of speeds. The speeds
// come from the newest run in the benchmark's history that has every row.

import { readFileSync } from 'node:fs';
import { ToolError, at } from './common.mjs';
import { highlight } from './docs/markdown.mjs';

/** The script that the page runs, with the imports of a user of the package. */
export function fiveLines() {
  const code = readFileSync(at('web', 'demo', 'translate', 'five-lines.js'), 'utf8')
    .replace("'../../lib/index.js'", "'qkv'")
    .replace("'../../models/en-fr/index.js'", "'qkv-en-fr'")
    .replace(/export default (.*);/, 'console.log($1);');
  return highlight(code.trim(), 'javascript');
}

/** The rows of the table: the name in the benchmark, and a description for visitors. */
const kRows = [
  { work: 'translate text tiny int8 shortlist', name: 'a sentence, Firefox’s smallest shape' },
  { work: 'translate text firefox-base int8 shortlist', name: 'a sentence, Firefox’s base shape' },
  { work: 'translate bulk tiny int8 shortlist', name: '200 sentences, the smallest shape' },
];

/**
 * @typedef {{work: string, host: string, engine: string, isPeer: boolean, median: number}} Measured
 * @typedef {{when: string, machine: string, dot?: {chromium?: string}, rows: Measured[]}} Run
 */

/** @returns {Run[]} newest first */
function runs() {
  /** @type {Run[]} */
  const all = [];
  for (const line of readFileSync(at('tests', 'bench', 'history.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)) {
    const entry = JSON.parse(line);
    if ('when' in entry) all.push({ ...entry, rows: [] });
    else all[all.length - 1].rows.push(entry);
  }
  return all.reverse();
}

/** The fastest times of qkv and of bergamot in a run, in Chromium, with one thread and the same model file. @param {Run} run @param {string} work */
function pair({ rows }, work) {
  const here = rows.filter((row) => row.work === work && row.host === 'chromium');
  const least = (/** @type {Measured[]} */ some) => Math.min(...some.map(({ median }) => median));
  const own = least(here.filter(({ engine }) => engine.endsWith("Marian's file")));
  const peer = least(here.filter(({ engine }) => engine.startsWith('bergamot')));
  return Number.isFinite(own) && Number.isFinite(peer) ? { own, peer } : null;
}

/** @param {number} ms */
function inWords(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

/**
 * The newest run with every row, on a processor where V8 computes the dot product of bytes in one instruction, or in two steps.
 * @param {boolean} inTwoSteps
 */
function newestRun(inTwoSteps) {
  const run = runs().find(
    (one) => (one.dot?.chromium === 'two steps') === inTwoSteps && kRows.every(({ work }) => pair(one, work)),
  );
  if (!run) throw new ToolError("The benchmark's history has no run with every row of the first page.");
  return run;
}

/** bergamot's time divided by ours, for a row of a run. @param {Run} run @param {string} work */
function ratio(run, work) {
  const { own, peer } = /** @type {{own: number, peer: number}} */ (pair(run, work));
  return (peer / own).toFixed(1);
}

/** The table as HTML. All times come from one run, so rows can be compared. The last column comes from another run. */
export function speedTable() {
  const run = newestRun(false);
  const inTwoSteps = newestRun(true);
  const rows = kRows.map(({ work, name }) => {
    const { own, peer } = /** @type {{own: number, peer: number}} */ (pair(run, work));
    const cells = [inWords(own), inWords(peer), ratio(run, work), ratio(inTwoSteps, work)];
    return `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const heads = ['text to text', 'qkv', 'bergamot', 'times as fast', 'without VNNI'];
  return `<table>
    <thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
    <tbody>${rows.join('\n')}</tbody>
  </table>
  <p class="caption">Chromium, one thread, medians, ${whereAndWhen(run)}.
  The last column: a browser without an instruction for the dot product of bytes, ${whereAndWhen(inTwoSteps)}.</p>`;
}

/** @param {Run} run */
function whereAndWhen({ machine, when }) {
  const date = new Date(when).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  return `${machine.replace(/\(R\)|\(TM\)/g, '')}, ${date}`;
}
