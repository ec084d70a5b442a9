// Plots as SVG texts without external styles: they have their own background and text colour, so that they look the
// same on light and dark pages. A line's name is at its end; the grid is faint.

import { scaleLinear, scaleLog } from 'd3-scale';

/**
 * @typedef {{x: number, y: number, low?: number, high?: number}} Point low and high: how far it spreads, drawn as a band
 * @typedef {{name: string, points: Point[], colour?: string, dashed?: boolean}} Series
 * @typedef {object} Axis
 * @property {string} title with its unit
 * @property {boolean} [log]
 * @property {[number, number]} [domain] that of the points when left out; of y from 0 on unless it is logarithmic
 * @property {number[]} [ticks]
 * @property {(value: number) => string} [format] of its ticks
 */

export const paper = '#fcfcfa';
export const ink = '#1c1d21';
export const ink2 = '#575b66';
export const rule = '#e3e4e0';
/** Colours of the lines, in this order; they differ in lightness too. The last one is for references. */
export const colours = ['#b3382c', '#1f6f8b', '#a0640b', '#4b7f2c', '#6d4fa3', '#14375e', '#6f7582'];
export const fontSize = 13;
const kFont = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

/** The approximate width of a text; systems have different fonts. @param {string} text */
export const widthOf = (text, size = fontSize) => [...text].length * size * 0.56;

const digits = (value) => String(Number(value.toFixed(2)));
export const escapeText = (text) =>
  String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/**
 * <name ...attributes>children</name>; numbers are rounded to hundredths of a pixel.
 * @param {string} name
 * @param {Record<string, string | number | undefined>} attributes
 * @param {...string} children markup
 */
export function element(name, attributes, ...children) {
  const given = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? digits(value) : escapeText(value)}"`);
  const start = `<${name}${given.join('')}`;
  return children.length > 0 ? `${start}>${children.join('')}</${name}>` : `${start}/>`;
}

/** @param {string} content @param {Record<string, string | number | undefined>} attributes */
export const text = (content, attributes) =>
  element('text', { 'font-size': fontSize, fill: ink2, ...attributes }, escapeText(content));

/** @param {{width: number, height: number, title: string}} size title: what it shows, in a sentence, for who cannot see it */
export function drawing({ width, height, title }, ...children) {
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${digits(width)} ${digits(height)}`,
    width,
    height,
    role: 'img',
    'font-family': kFont,
    style: 'font-variant-numeric: tabular-nums',
  };
  const ground = element('rect', { width, height, rx: 6, fill: paper });
  return `${element('svg', attributes, element('title', {}, escapeText(title)), ground, ...children).replaceAll('><', '>\n<')}\n`;
}

/**
 * Places for labels that want to be at these heights: in their order, `gap` apart, between `top` and `bottom` if they
 * fit.
 * @param {number[]} wanted
 */
export function spread(wanted, gap, top, bottom) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || a - b);
  const found = wanted.map((y) => Math.min(Math.max(y, top), bottom));
  // Neighbours that overlap become one block around their mean place, until none overlap.
  let blocks = [];
  for (const i of order) {
    blocks.push({ members: [i], middle: found[i] });
    for (let last = blocks.length - 1; last > 0; --last) {
      const [above, below] = [blocks[last - 1], blocks[last]];
      const room = ((above.members.length + below.members.length) / 2) * gap;
      if (below.middle - above.middle >= room) break;
      const members = [...above.members, ...below.members];
      const half = ((members.length - 1) / 2) * gap;
      const mean = members.reduce((sum, member) => sum + found[member], 0) / members.length;
      blocks = blocks.slice(0, last - 1);
      blocks.push({ members, middle: Math.min(Math.max(mean, top + half), Math.max(bottom - half, top + half)) });
    }
  }
  for (const { members, middle } of blocks) {
    members.forEach((member, i) => (found[member] = middle + (i - (members.length - 1) / 2) * gap));
  }
  return found;
}

/** @param {Axis} axis @param {number[]} values @param {[number, number]} range @param {boolean} rounded from 0, where it can, to a round number */
function scaleOf(axis, values, range, rounded) {
  const least = Math.min(...values);
  const most = Math.max(...values);
  if (axis.log) {
    const domain = axis.domain ?? (rounded ? [oneTwoOrFive(least, -1), oneTwoOrFive(most, 1)] : [least, most]);
    return scaleLog().domain(domain).range(range);
  }
  const scale = scaleLinear()
    .domain(axis.domain ?? [rounded ? Math.min(0, least) : least, most])
    .range(range);
  return axis.domain || !rounded ? scale : scale.nice();
}

const isOneTwoOrFive = (value) => /^[125](e|\.0*e)/.test(value.toExponential());

/** The next number below (side -1) or above (1) that is 1, 2 or 5 times a power of ten. */
function oneTwoOrFive(value, side) {
  const ten = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 2, 5, 10].map((step) => step * ten);
  return side < 0 ? steps.findLast((step) => step <= value) : steps.find((step) => step >= value);
}

/** @param {Axis} axis */
function ticksOf(axis, scale, count) {
  if (axis.ticks) return axis.ticks;
  const ticks = scale.ticks(count);
  return axis.log ? ticks.filter(isOneTwoOrFive) : ticks;
}

const path = (points) => points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${digits(x)} ${digits(y)}`).join('');

/**
 * Lines over numbers.
 * @param {object} chart
 * @param {string} chart.title what it shows, for who cannot see it
 * @param {Series[]} chart.series
 * @param {Axis} chart.x
 * @param {Axis} chart.y
 * @param {number} [chart.width]
 * @param {number} [chart.height]
 * @returns {string} SVG
 */
export function lineChart({ title, series, x, y, width = 720, height = 420 }) {
  const labelRoom = Math.max(...series.map(({ name }) => widthOf(name)));
  const box = { left: 64, top: 48, right: width - 44 - labelRoom, bottom: height - 56 };
  const points = series.flatMap((one) => one.points);
  const heights = points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]);
  const across = scaleOf(
    x,
    points.map((point) => point.x),
    [box.left, box.right],
    false,
  );
  const up = scaleOf(y, heights, [box.bottom, box.top], true);
  const format = (axis, scale) => axis.format ?? (axis.log ? String : scale.tickFormat(6));

  const grid = ticksOf(y, up, 6).map((tick) => {
    const at = up(tick);
    const line = element('line', { x1: box.left, x2: box.right, y1: at, y2: at, stroke: rule });
    return line + text(format(y, up)(tick), { x: box.left - 10, y: at + 4.5, 'text-anchor': 'end' });
  });
  const feet = ticksOf(x, across, 8).map((tick) => {
    const at = across(tick);
    const mark = element('line', { x1: at, x2: at, y1: box.bottom, y2: box.bottom + 5, stroke: ink2 });
    return mark + text(format(x, across)(tick), { x: at, y: box.bottom + 21, 'text-anchor': 'middle' });
  });
  const base = element('line', { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, stroke: ink2 });
  const titles = [
    text(y.title, { x: 16, y: 26 }),
    text(x.title, { x: (box.left + box.right) / 2, y: height - 14, 'text-anchor': 'middle' }),
  ];

  const ends = series.map((one) => one.points.at(-1));
  const wanted = ends.map((end) => up(end.y));
  const labels = spread(wanted, fontSize + 5, box.top - 4, box.bottom - 6);
  const bands = [];
  const lines = [];
  series.forEach((one, i) => {
    const colour = one.colour ?? colours[i % colours.length];
    const spreads = one.points.filter((point) => point.low !== undefined && point.high !== undefined);
    if (spreads.length > 1) {
      const above = spreads.map((point) => [across(point.x), up(point.high)]);
      const below = spreads.map((point) => [across(point.x), up(point.low)]);
      bands.push(element('path', { d: `${path([...above, ...below.reverse()])}Z`, fill: colour, opacity: 0.13 }));
    }
    const dots = one.points.map((point) => [across(point.x), up(point.y)]);
    lines.push(
      element('path', {
        d: path(dots),
        fill: 'none',
        stroke: colour,
        'stroke-width': 2,
        'stroke-linejoin': 'round',
        'stroke-linecap': 'round',
        'stroke-dasharray': one.dashed ? '6 5' : undefined,
      }),
      ...dots.map(([cx, cy]) => element('circle', { cx, cy, r: 3, fill: colour, stroke: paper })),
    );
    const from = dots.at(-1);
    const leader = [
      [from[0] + 6, from[1]],
      [box.right + 8, from[1]],
      [box.right + 24, labels[i]],
    ];
    const led = Math.abs(labels[i] - from[1]) > 3 || box.right - from[0] > 1;
    if (led) lines.push(element('path', { d: path(leader), fill: 'none', stroke: colour, opacity: 0.5 }));
    lines.push(text(one.name, { x: box.right + (led ? 28 : 10), y: labels[i] + 4.5, fill: colour }));
  });
  return drawing({ width, height, title }, ...grid, base, ...feet, ...titles, ...bands, ...lines);
}

/**
 * Panels side by side with the same rows: dots on one axis, each with a line over its range.
 * @param {object} chart
 * @param {string} chart.title what it shows, for who cannot see it
 * @param {string[]} chart.names of the rows
 * @param {{name: string, rows: {kind: number, value: number, low: number, high: number}[][]}[]} chart.panels
 * @param {{name: string, colour: string}[]} chart.kinds
 * @param {Axis} chart.axis with its domain and ticks
 * @param {number} [chart.width]
 * @returns {string} SVG
 */
export function dotPanels({ title, names, panels, kinds, axis, width = 720 }) {
  const rowHeight = 34;
  const between = 48;
  const top = 72;
  const bottom = top + names.length * rowHeight;
  const left = 28 + Math.max(...names.map((name) => widthOf(name)));
  const panelWidth = (width - 36 - left - between * (panels.length - 1)) / panels.length;
  const middle = (row) => top + (row + 0.5) * rowHeight;
  const offset = (kind) => (kind - (kinds.length - 1) / 2) * 9;

  let keyLeft = left;
  const key = kinds.map(({ name, colour }) => {
    const dot = element('circle', { cx: keyLeft + 4, cy: 22, r: 4, fill: colour });
    const label = text(name, { x: keyLeft + 15, y: 26.5, fill: colour });
    keyLeft += 36 + widthOf(name);
    return dot + label;
  });
  const rows = names.map((name, i) =>
    text(name, { x: left - 14, y: middle(i) + 4.5, 'text-anchor': 'end', fill: ink }),
  );
  const drawn = panels.map((panel, p) => {
    const from = left + p * (panelWidth + between);
    const across = scaleOf(axis, [], [from, from + panelWidth], false);
    const grid = axis.ticks.map((tick) => {
      const at = across(tick);
      const line = element('line', { x1: at, x2: at, y1: top, y2: bottom, stroke: rule });
      return line + text(axis.format(tick), { x: at, y: bottom + 19, 'text-anchor': 'middle', 'font-size': 12 });
    });
    const guides = names.map((_, i) =>
      element('line', { x1: from, x2: from + panelWidth, y1: middle(i), y2: middle(i), stroke: rule }),
    );
    const marks = panel.rows.flatMap((row, i) =>
      row.map(({ kind, value, low, high }) => {
        // A row with only one kind is centred.
        const y = middle(i) + (row.length > 1 ? offset(kind) : 0);
        const { colour } = kinds[kind];
        const line = { x1: across(low), x2: across(high), y1: y, y2: y, stroke: colour, 'stroke-width': 2 };
        return (
          element('line', { ...line, opacity: 0.45, 'stroke-linecap': 'round' }) +
          element('circle', { cx: across(value), cy: y, r: 4, fill: colour, stroke: paper })
        );
      }),
    );
    const name = text(panel.name, { x: from, y: top - 14, fill: ink, 'font-weight': 600 });
    return [name, ...grid, ...guides, ...marks].join('');
  });
  const foot = text(axis.title, { x: (left + width - 36) / 2, y: bottom + 44, 'text-anchor': 'middle' });
  return drawing({ width, height: bottom + 60, title }, ...key, ...rows, ...drawn, foot);
}
