// What earlier runs measured, and which rows are slower than it.

import { groupBy, ratioOf } from './report.mjs';

/** @typedef {import('./measure.mjs').Row} Row */
/** @typedef {ReturnType<typeof import('./machine.mjs').machine>} Machine */
/** @typedef {{about: Machine, rows: Row[]}} Run */
/** @typedef {{name: string, unit: string, was: number, is: number, slower: number}} Comparison slower: 0.05 is 5 % */

/** Slower by more than this is named. */
export const kMostSlower = 0.05;

/** A run begins with the line that says what it was measured on. @param {string} text lines of JSON @returns {Run[]} */
export function runsOf(text) {
  const runs = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const entry = JSON.parse(line);
    if ('machine' in entry) runs.push({ about: entry, rows: [] });
    else runs.at(-1).rows.push(entry);
  }
  return runs;
}

/**
 * Whether both compute the dot product of bytes the same way. Older runs do not say how; none of them forced two steps.
 * @param {Machine} a
 * @param {Machine} b
 */
const hasSameDot = (a, b) => !a.noVnni === !b.noVnni && (!a.dot || !b.dot || isSame(a.dot, b.dot));
const isSame = (a, b) => Object.keys(a).every((host) => !(host in b) || a[host] === b[host]);
const isAlike = (a, b) => a.machine === b.machine && hasSameDot(a, b);

/**
 * What a run is held against: for `last`, each row as it was last measured on such a processor, or where there is none
 * on any with the same dot product; else the run whose `when` begins with `which`.
 * @param {Run[]} runs oldest first
 * @param {string} which
 * @param {Machine} about the run that is compared
 * @returns {{rows: Row[], isAlike: boolean}} isAlike: times may be compared, and not ratios alone
 */
export function chosenRun(runs, which, about) {
  if (which !== 'last') {
    const found = runs.find((run) => run.about.when.startsWith(which));
    if (!found)
      throw new Error(`no run began at "${which}"; there are ${runs.map((run) => run.about.when).join(', ')}`);
    return { rows: found.rows, isAlike: isAlike(found.about, about) };
  }
  const alike = runs.filter((run) => isAlike(run.about, about));
  return {
    rows: latest(alike.length > 0 ? alike : runs.filter((run) => hasSameDot(run.about, about))),
    isAlike: alike.length > 0,
  };
}

/**
 * The rows of each table as the latest run that measured it has them: ratios are those of one run.
 * @param {Run[]} runs
 */
function latest(runs) {
  const tables = new Map();
  for (const { rows } of runs) {
    for (const [key, table] of groupBy(rows.filter(isTime), tableOf)) tables.set(key, table);
  }
  return [...tables.values()].flat();
}

const isTime = (row) => 'median' in row;
const tableOf = ({ work, host }) => `${work}, ${host}`;
const nameOf = (row) => `${tableOf(row)}, ${row.engine}`;

/**
 * Our rows that both runs have. Times of one processor are compared by medians; those of two by how many times as fast
 * as the best peer a row is, where it has peers.
 * @param {Row[]} rows
 * @param {{rows: Row[], isAlike: boolean}} before
 * @returns {Comparison[]}
 */
export function compared(rows, before) {
  const known = new Map(before.rows.filter(isTime).map((row) => [nameOf(row), row]));
  const compare = before.isAlike
    ? (row, old) => ({ unit: 'ms', was: old.median, is: row.median, slower: row.median / old.median - 1 })
    : (row, old) => compareRatios(ratioOf(row, rows)?.median, ratioOf(old, before.rows)?.median);
  return rows
    .filter((row) => isTime(row) && !row.isPeer && known.has(nameOf(row)))
    .map((row) => ({ name: nameOf(row), ...compare(row, known.get(nameOf(row))) }))
    .filter(({ slower }) => Number.isFinite(slower));
}

const compareRatios = (is, was) => ({ unit: 'times the best peer', was, is, slower: was / is - 1 });

const inDigits = (value) => Number(value.toPrecision(3));

/** For people: how many rows were compared, and each that is slower. @param {Comparison[]} all */
export function comparisonInWords(all) {
  const slower = all.filter((one) => one.slower > kMostSlower).toSorted((a, b) => b.slower - a.slower);
  const lines = slower.map(
    ({ name, unit, was, is, slower: by }) =>
      `- ${name}: ${inDigits(is)} ${unit} instead of ${inDigits(was)}, ${Math.round(by * 100)} % slower`,
  );
  const limit = `${kMostSlower * 100} %`;
  return [`Compared with earlier: ${all.length} rows, ${slower.length} more than ${limit} slower`, ...lines].join('\n');
}
