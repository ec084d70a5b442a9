// Rows as tables for people.

/** @typedef {import('./measure.mjs').Row} Row */

const digits = (value, count = 3) => (value === undefined ? '' : String(Number(value.toPrecision(count))));
const percent = (share) => (share === undefined ? '' : `${Math.round(share * 100)} %`);
const line = (cells) => `| ${cells.join(' | ')} |`;
const gigaflops = (row, milliseconds) => row.operations / milliseconds / 1e6;

// GOP/s: floating-point or 8-bit operations, two for a multiply-add.
const header = (hasWords) => [
  ...['engine', 'median ms', 'least', 'half within', 'processor ms', 'times as fast as the best peer'],
  ...['GOP/s', 'of the limit', ...(hasWords ? ['words or pieces/s'] : []), 'others'],
];

/**
 * How many times faster than the best peer with as many threads: by medians, by the shortest times, which noise affects
 * less, and by processor time, which other processes do not affect. Null for peers, and where there is no peer.
 * @param {Row} row
 * @param {Row[]} rows all that were measured in the same run
 */
export function ratioOf(row, rows) {
  const isAlike = ({ work, host, threads }) => work === row.work && host === row.host && threads === row.threads;
  const peers = rows.filter((other) => other.isPeer && !other.error && isAlike(other));
  if (peers.length === 0 || row.isPeer) return null;
  const ratio = (key) => Math.min(...peers.map((peer) => peer[key])) / row[key];
  return { median: ratio('median'), min: ratio('min'), processor: ratio('processor') };
}

/** @param {ReturnType<typeof ratioOf>} ratio */
function ratioInWords(ratio) {
  if (!ratio) return '';
  const processor = Number.isNaN(ratio.processor) ? '' : `, processor ${digits(ratio.processor)}`;
  return `${digits(ratio.median)} (least ${digits(ratio.min)}${processor})`;
}

// What the work of each precision is compared with. Float products come close to the processor's limit. No kernel here
// is the reference for 8-bit products, so they are compared with the processor itself.
const kLimits = { f32: 'limit product', int8: 'limit peak int8' };

/**
 * The highest rate at which a host's limit was measured, in GOP/s; undefined if it was not measured.
 * @param {Row[]} rows
 * @param {string} host
 * @param {'f32' | 'int8'} precision
 */
export function limitOf(rows, host, precision) {
  const found = rows.filter((row) => row.work === kLimits[precision] && row.host === host && !row.error);
  return found.length > 0 ? Math.max(...found.map((row) => gigaflops(row, row.min))) : undefined;
}

/** @param {Row} row @param {Row[]} rows all that were measured @param {boolean} hasWords */
function cells(row, rows, hasWords) {
  const ratio = ratioOf(row, rows);
  const limit = limitOf(rows, row.host, row.precision);
  const isCounted = !row.work.includes('additive');
  return [
    row.engine,
    digits(row.median),
    digits(row.min),
    `${digits(row.lower)} to ${digits(row.upper)}`,
    digits(row.processor),
    ratioInWords(ratio),
    isCounted ? digits(gigaflops(row, row.min)) : '',
    isCounted && limit ? percent(gigaflops(row, row.min) / limit) : '',
    ...(hasWords ? [digits((row.words / row.median) * 1e3)] : []),
    percent(row.others),
  ];
}

/** @param {Row[]} group of one work and host @param {Row[]} rows all that were measured */
function table(group, rows) {
  const sorted = group.filter(({ error }) => !error).toSorted((a, b) => a.median - b.median);
  const hasWords = sorted.some(({ words }) => words);
  const names = header(hasWords);
  return [line(names), line(names.map(() => '---')), ...sorted.map((row) => line(cells(row, rows, hasWords)))];
}

/**
 * Markdown: a table for each work and host, and the engines that could not do it.
 * @param {(Row | import('./measure.mjs').Failure)[]} rows
 * @param {(Row | import('./measure.mjs').Failure)[]} [all] that were measured so far, the limits among them
 */
export function report(rows, all = rows) {
  return [...groupBy(rows, keyOf)]
    .map(([key, group]) => {
      const failures = group.filter(({ error }) => error).map(({ engine, error }) => `- ${engine}: no, ${error}`);
      return [`### ${key}`, '', ...table(group, all), ...(failures.length > 0 ? ['', ...failures] : []), ''].join('\n');
    })
    .join('\n');
}

const keyOf = ({ work, host }) => `${work}, ${host}`;

/** @template T @param {T[]} items @param {(item: T) => string} key @returns {Map<string, T[]>} */
export function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}
