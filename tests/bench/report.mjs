// Rows as tables for people.

/** @typedef {import('./measure.mjs').Row} Row */

const digits = (value, count = 3) => (value === undefined ? '' : String(Number(value.toPrecision(count))));
const percent = (share) => (share === undefined ? '' : `${Math.round(share * 100)} %`);
const line = (cells) => `| ${cells.join(' | ')} |`;
const gigaflops = (row, milliseconds) => row.operations / milliseconds / 1e6;

const kHeader = [
  ...['engine', 'median ms', 'least', 'half within', 'processor ms', 'times as fast as the best peer'],
  ...['GFLOP/s', 'of the limit', 'others'],
];

/**
 * How many times as fast as the best peer: by medians, by the least times, which noise moves less, and by processor time,
 * which other processes' work is no part of.
 * @param {Row} row
 * @param {Row[]} peers
 */
export function ratios(row, peers) {
  if (peers.length === 0 || row.isPeer) return null;
  const ratio = (key) => Math.min(...peers.map((peer) => peer[key])) / row[key];
  return { median: ratio('median'), min: ratio('min'), processor: ratio('processor') };
}

/** @param {ReturnType<typeof ratios>} ratio */
function ratioInWords(ratio) {
  if (!ratio) return '';
  const processor = Number.isNaN(ratio.processor) ? '' : `, processor ${digits(ratio.processor)}`;
  return `${digits(ratio.median)} (least ${digits(ratio.min)}${processor})`;
}

/**
 * The fastest that a host's limit was reached, in GFLOP/s; undefined where it was not measured.
 * @param {Row[]} rows
 * @param {string} host
 * @param {'peak' | 'product'} limit
 */
export function limitOf(rows, host, limit) {
  const found = rows.filter((row) => row.work === `limit ${limit}` && row.host === host);
  return found.length > 0 ? Math.max(...found.map((row) => gigaflops(row, row.min))) : undefined;
}

/** @param {Row} row @param {Row[]} rows all that were measured */
function cells(row, rows) {
  const same = rows.filter(({ work, host }) => work === row.work && host === row.host);
  const ratio = ratios(
    row,
    same.filter(({ isPeer }) => isPeer),
  );
  const limit = limitOf(rows, row.host, 'product');
  const isDot = !row.work.includes('additive');
  return [
    row.engine,
    digits(row.median),
    digits(row.min),
    `${digits(row.lower)} to ${digits(row.upper)}`,
    digits(row.processor),
    ratioInWords(ratio),
    isDot ? digits(gigaflops(row, row.min)) : '',
    isDot && limit ? percent(gigaflops(row, row.min) / limit) : '',
    percent(row.others),
  ];
}

/**
 * Markdown: a table for each piece of work and host.
 * @param {Row[]} rows
 */
export function report(rows) {
  const groups = groupBy(rows, keyOf);
  return [...groups]
    .map(([key, group]) => {
      const sorted = group.toSorted((a, b) => a.median - b.median);
      const table = [line(kHeader), line(kHeader.map(() => '---')), ...sorted.map((row) => line(cells(row, rows)))];
      return `### ${key}\n\n${table.join('\n')}\n`;
    })
    .join('\n');
}

const keyOf = ({ work, host }) => `${work}, ${host}`;

function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}
