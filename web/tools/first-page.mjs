// What the build puts on the first page: the lines of code that it runs, and the table of speeds, of the newest run in the
// benchmark's history that has each row.

import { readFileSync } from 'node:fs';
import { ToolError, at } from './common.mjs';
import { highlight } from './docs/markdown.mjs';

/** The script that the page runs, as a user of the package writes it. */
export function fiveLines() {
  const code = readFileSync(at('web', 'demo', 'translate', 'five-lines.js'), 'utf8')
    .replace("'../../lib/index.js'", "'qkv'")
    .replace("'../../models/en-fr/index.js'", "'qkv-en-fr'")
    .replace(/export default (.*);/, 'console.log($1);');
  return highlight(code.trim(), 'javascript');
}

/** The rows that a visitor understands: the benchmark's name, what it is, and how the time is said. */
const kRows = [
  { work: 'translate text tiny int8 shortlist', name: 'a sentence, Firefox’s smallest shape' },
  { work: 'translate text base int8 shortlist', name: 'a sentence, Firefox’s base shape' },
  { work: 'translate bulk tiny int8 shortlist', name: '200 sentences, the smallest shape' },
];

/**
 * @typedef {{work: string, host: string, engine: string, isPeer: boolean, median: number}} Measured
 * @typedef {{when: string, machine: string, rows: Measured[]}} Run
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

/** The fastest of ours and of bergamot's in one run, in Chromium, with one thread: other settings follow a comma. @param {Run} run @param {string} work */
function pair({ rows }, work) {
  const here = rows.filter((row) => row.work === work && row.host === 'chromium' && !row.engine.includes(','));
  const least = (/** @type {Measured[]} */ some) => Math.min(...some.map(({ median }) => median));
  const own = least(here.filter(({ isPeer }) => !isPeer));
  const peer = least(here.filter(({ engine }) => engine.startsWith('bergamot')));
  return Number.isFinite(own) && Number.isFinite(peer) ? { own, peer } : null;
}

/** @param {number} ms */
function inWords(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

/** The table as HTML: one run, so that its rows can be compared. */
export function speedTable() {
  const run = runs().find((one) => kRows.every(({ work }) => pair(one, work)));
  if (!run) throw new ToolError("The benchmark's history has no run with every row of the first page.");
  const rows = kRows.map(({ work, name }) => {
    const { own, peer } = /** @type {{own: number, peer: number}} */ (pair(run, work));
    return `<tr><th scope="row">${name}</th><td>${inWords(own)}</td><td>${inWords(peer)}</td><td>${(peer / own).toFixed(1)}</td></tr>`;
  });
  const date = new Date(run.when).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  return `<table>
    <thead><tr><th scope="col">text to text</th><th scope="col">qkv</th><th scope="col">bergamot</th><th scope="col">times as fast</th></tr></thead>
    <tbody>${rows.join('\n')}</tbody>
  </table>
  <p class="caption">Chromium, one thread, medians, ${run.machine.replace(/\(R\)|\(TM\)/g, '')}, ${date}.</p>`;
}
