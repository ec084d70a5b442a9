// Makes an SVG file of the current view. It contains the colours, the labels and a legend.

import { rgb } from 'd3-color';
import { WeightScale } from './colour.js';
import { layoutOf, shorten } from './layout.js';
import { curvesOf, kLabelHeight, linesLayoutOf, middle, pathOf } from './lines-layout.js';
import { measureIn } from './measure.js';
import { windows } from './overlay.js';
import { isMasked, shade } from './trace.js';
import { branchOf, kRowHeight, kindOf, treeLayoutOf } from './tree-layout.js';

/** @typedef {import('./trace.js').Slice} Slice */

/**
 * @typedef {object} Appearance
 * @property {string} ground a colour, as CSS writes it
 * @property {string} ink
 * @property {string} faint
 * @property {string} line
 * @property {string[]} weights from weight 0 to weight 1
 * @property {(text: string, size: number) => number} measure width of a label at a font size
 */

/**
 * @typedef {object} Figure
 * @property {Slice} slice
 * @property {'matrix' | 'lines'} view
 * @property {'absolute' | 'row'} scaling
 * @property {string} title
 * @property {string} keys the name of the axis
 * @property {string} queries
 */

const kMargin = 16;
const kHead = 56;
const kFoot = 52;
const kLargeSide = 60;
const kLinesHeight = 380;
const kMono = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const kSans = "system-ui, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";
const kTokens = { ground: '--surface', ink: '--ink', faint: '--ink-2', line: '--line' };
const kWeights = ['--weight-0', '--weight-1', '--weight-2'];

/**
 * The page's colours, or those of the light theme on white.
 * @param {boolean} white
 * @returns {Appearance}
 */
export function lookOf(white) {
  const probe = document.createElement('span');
  probe.className = white ? 'qkv-white' : '';
  probe.hidden = true;
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const read = (/** @type {string} */ token) => {
    probe.style.color = `var(${token})`;
    return rgb(style.color).formatHex();
  };
  const [ground, ink, faint, line] = Object.values(kTokens).map(read);
  const weights = kWeights.map(read);
  const mono = style.getPropertyValue('--mono');
  probe.remove();
  const measure = measureIn(mono);
  return { ground: white ? '#ffffff' : ground, ink, faint, line, weights, measure };
}

/**
 * @param {Figure} figure
 * @param {Appearance} appearance
 * @returns {string} an SVG document
 */
export function figureSvg(figure, appearance) {
  const { width, height, marks } = figure.view === 'lines' ? lines(figure, appearance) : matrix(figure, appearance);
  const [across, down] = figure.view === 'lines' ? ['above: ', 'below: '] : ['→ ', '↓ '];
  const subtitle = `${across}${figure.keys} · ${down}${figure.queries}`;
  const foot = legend(figure, appearance, kHead + height + 14);
  return page({ title: figure.title, subtitle, width, height, marks, foot }, appearance);
}

/**
 * @param {import('./tree-layout.js').Search} search
 * @param {Appearance} appearance
 * @returns {string} an SVG document
 */
export function treeSvg(search, appearance) {
  const { nodes, width, height, font } = treeLayoutOf(search, appearance.measure);
  const strokes = {
    dropped: [appearance.faint, 1, 0.45],
    kept: [appearance.faint, 1.5, 1],
    best: [appearance.ink, 1.5, 1],
  };
  // The branches: dropped ones first, the best path last, so that it is on top.
  const branches = [...nodes]
    .sort((a, b) => b.through - a.through || 0)
    .map((node) => {
      const [stroke, thick, opacity] = strokes[kindOf(node)];
      return `<path d="${branchOf(node, nodes[node.parent])}" stroke="${stroke}" stroke-width="${thick}" stroke-opacity="${opacity}"/>`;
    });
  // The pieces, then the page around them.
  const labels = nodes.map((node) => {
    const fill = kindOf(node) === 'dropped' ? appearance.faint : appearance.ink;
    const weight = kindOf(node) === 'best' ? ' font-weight="700"' : '';
    const y = (node.row + 0.5) * kRowHeight + font * 0.35;
    return `<text x="${(node.x + node.width / 2).toFixed(1)}" y="${y}" fill="${fill}"${weight}>${escape(node.text)}</text>`;
  });
  const marks = `<g fill="none">${branches.join('')}</g><g font-size="${font}" text-anchor="middle">${labels.join('')}</g>`;
  const title = `Beam search, ${search.beam} kept a step`;
  const subtitle = 'final translations: rank · score; light: dropped on the way';
  return page({ title, subtitle, width, height, marks, foot: '' }, appearance);
}

/**
 * @typedef {object} Page
 * @property {string} title
 * @property {string} subtitle
 * @property {number} width of the drawing
 * @property {number} height
 * @property {string} marks the drawing, as SVG
 * @property {string} foot the content below it, as SVG; '': nothing
 */

/** @param {Page} page @param {Appearance} appearance @returns {string} an SVG document */
function page({ title, subtitle, width, height, marks, foot }, appearance) {
  const [wide, tall] = [Math.max(width + 2 * kMargin, 360), height + kHead + (foot ? kFoot : kMargin)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${tall}" viewBox="0 0 ${wide} ${tall}">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${wide}" height="${tall}" fill="${appearance.ground}"/>`,
    `<g font-family="${kSans}" fill="${appearance.ink}">`,
    `<text x="${kMargin}" y="26" font-size="15" font-weight="600">${escape(title)}</text>`,
    `<text x="${kMargin}" y="45" font-size="12" fill="${appearance.faint}">${escape(subtitle)}</text>`,
    '</g>',
    `<g transform="translate(${kMargin} ${kHead})" font-family="${kMono}">${marks}</g>`,
    foot,
    '</svg>',
    '',
  ].join('\n');
}

/** @param {Figure} figure @param {Appearance} appearance */
function matrix({ slice, scaling }, appearance) {
  const room = Math.max(slice.queries.length, slice.keys.length) > kLargeSide ? 0 : 1e6; // 0: the smallest cells
  const layout = layoutOf(slice, room, room, appearance.measure);
  const { cell, font, left, top, right, width, height } = layout;
  const scale = new WeightScale(appearance.weights);
  const shown = shade(slice, scaling);
  // The cells, then the labels.
  const cells = slice.queries.flatMap((_, q) =>
    slice.keys.map((_, k) => {
      const fill = isMasked(slice, q, k) ? 'url(#masked)' : hex(scale.rgb(shown(q, k)));
      return `<rect x="${left + k * cell}" y="${top + q * cell}" width="${cell}" height="${cell}" fill="${fill}"/>`;
    }),
  );
  const columns = slice.keys.map((key, k) => {
    const [x, y, turn] = layout.upright
      ? [left + (k + 0.5) * cell + font * 0.35, top - 5, -90]
      : [left + (k + 0.5) * cell + 2, top - 6, -45];
    return `<text transform="translate(${x} ${y}) rotate(${turn})">${escape(shorten(key.text))}</text>`;
  });
  const rows = slice.queries.map(
    (query, q) =>
      `<text text-anchor="end" x="${left - 7}" y="${top + (q + 0.5) * cell + font * 0.35}">${escape(shorten(query.text))}</text>`,
  );
  // Windows of local attention, and hatching for masked cells.
  const { spans, centres } = windows(slice, layout);
  const boxes = (/** @type {import('./overlay.js').Box[]} */ all) =>
    all
      .map((box) => `<rect x="${left + box.x}" y="${top + box.y}" width="${box.width}" height="${box.height}"/>`)
      .join('');
  const seen = `<g fill="none" stroke="${appearance.faint}">${boxes(spans)}</g><g fill="${appearance.faint}">${boxes(centres)}</g>`;
  const hatch = `<pattern id="masked" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V5" stroke="${appearance.faint}" stroke-opacity="0.5"/></pattern>`;
  const marks = [
    slice.causal ? hatch : '',
    `<g stroke="${appearance.line}" stroke-width="0.75">${cells.join('')}</g>`,
    slice.window ? seen : '',
    `<g font-size="${font}" fill="${appearance.ink}">${columns.join('')}${rows.join('')}</g>`,
  ].join('');
  return { width: left + width + right, height: top + height, marks };
}

/** @param {Figure} figure @param {Appearance} appearance */
function lines({ slice, scaling }, appearance) {
  const layout = linesLayoutOf(slice, 560, kLinesHeight, appearance.measure);
  const shown = shade(slice, scaling);
  const curves = curvesOf(slice).map(
    (curve) =>
      `<path d="${pathOf(layout, curve)}" stroke-opacity="${shown(curve.query, curve.key).toFixed(3)}"><title>${escape(slice.queries[curve.query].text)} → ${escape(slice.keys[curve.key].text)} ${curve.weight.toFixed(2)}</title></path>`,
  );
  const labels = (/** @type {'keys' | 'queries'} */ name, /** @type {number} */ y) =>
    slice[name].map(
      (label, i) =>
        `<text text-anchor="middle" x="${middle(layout[name][i]).toFixed(1)}" y="${y}">${escape(label.text)}</text>`,
    );
  const marks = [
    `<g fill="none" stroke="${appearance.weights[appearance.weights.length - 1]}" stroke-width="2.5">${curves.join('')}</g>`,
    `<g font-size="${layout.font}" fill="${appearance.ink}">${labels('keys', layout.from - 8).join('')}${labels('queries', layout.to + kLabelHeight - 8).join('')}</g>`,
  ].join('');
  return { width: layout.width, height: layout.height, marks };
}

/** @param {Figure} figure @param {Appearance} appearance @param {number} y */
function legend({ view, scaling }, appearance, y) {
  const steps = 40;
  const width = 160;
  const scale = new WeightScale(appearance.weights);
  const full = appearance.weights[appearance.weights.length - 1];
  const strip = Array.from({ length: steps }, (_, i) => {
    const weight = i / (steps - 1);
    const fill = view === 'lines' ? `${full}" fill-opacity="${weight.toFixed(3)}` : hex(scale.rgb(weight));
    return `<rect x="${(i * width) / steps}" width="${width / steps + (view === 'lines' ? 0 : 0.3)}" height="10" fill="${fill}"/>`;
  });
  const ticks = [0, 0.5, 1].map(
    (tick) =>
      `<text x="${tick * width}" y="24" text-anchor="middle">${scaling === 'row' ? `${tick * 100}%` : tick}</text>`,
  );
  const undrawn = view === 'lines' ? '; weights under 0.05 are not drawn' : '';
  const caption = `${scaling === 'row' ? 'of the row’s largest weight' : 'weight'}${undrawn}`;
  return `<g transform="translate(${kMargin + 4} ${y})" font-family="${kSans}" font-size="11" fill="${appearance.faint}">${strip.join('')}${ticks.join('')}<text x="${width + 12}" y="9">${caption}</text></g>`;
}

/** @param {number[]} channels */
const hex = (channels) => `#${channels.map((c) => c.toString(16).padStart(2, '0')).join('')}`;

/** Characters that XML does not allow become U+FFFD. @param {string} text */
const escape = (text) =>
  text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
