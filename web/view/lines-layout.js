// The layout of the line view: keys above, queries below, both rows with the same width.

/** @typedef {import('./trace.js').Label} Label */
/** @typedef {import('./trace.js').Slice} Slice */
/** @typedef {{x: number, width: number}} Span a piece's left edge and its width, in CSS pixels */

/**
 * All lengths are in CSS pixels.
 * @typedef {object} LinesLayout
 * @property {number} font size of the labels
 * @property {Span[]} keys
 * @property {Span[]} queries
 * @property {number} width of the drawing
 * @property {number} height
 * @property {number} from where curves begin, under the keys
 * @property {number} to where they end, over the queries
 */

/** @typedef {{query: number, key: number, weight: number}} Curve */

export const kDrawnFrom = 0.05;
export const kLabelHeight = 24;
export const kNumberHeight = 18;
const kLargestFont = 14;
const kSmallestFont = 11;
const kPad = 3;
const kWordGap = 7;
const kWidestGap = 44;
const kHighest = 400;

/**
 * @param {Slice} slice
 * @param {number} width of the room
 * @param {number} height
 * @param {(text: string, size: number) => number} measure width of a label at a font size
 * @returns {LinesLayout}
 */
export function linesLayoutOf(slice, width, height, measure) {
  let font = kLargestFont;
  const natural = (/** @type {Label[]} */ labels) => spread(labels, font, 0, measure).end;
  while (font > kSmallestFont && Math.max(natural(slice.keys), natural(slice.queries)) > width) --font;
  const room = Math.max(width, natural(slice.keys), natural(slice.queries));
  const tall = Math.min(height, kHighest);
  const edge = kNumberHeight + kLabelHeight;
  return {
    font,
    keys: justified(slice.keys, font, room, measure),
    queries: justified(slice.queries, font, room, measure),
    width: room,
    height: tall,
    from: edge,
    to: tall - edge,
  };
}

/**
 * Places pieces in a row. Pieces of one word touch, and there are gaps between words.
 * @param {Label[]} labels
 * @param {number} font
 * @param {number} extra added to the gap between words
 * @param {(text: string, size: number) => number} measure
 */
function spread(labels, font, extra, measure) {
  let end = 0;
  let gaps = 0;
  const spans = labels.map((label, i) => {
    if (i > 0 && (label.word || label.special)) {
      end += kWordGap + extra;
      ++gaps;
    }
    const width = Math.ceil(measure(label.text, font)) + 2 * kPad;
    const span = { x: end, width };
    end += width;
    return span;
  });
  return { spans, end, gaps };
}

/**
 * @param {Label[]} labels
 * @param {number} font
 * @param {number} room
 * @param {(text: string, size: number) => number} measure
 */
function justified(labels, font, room, measure) {
  const { end, gaps } = spread(labels, font, 0, measure);
  const extra = gaps ? Math.min(kWidestGap, (room - end) / gaps) : 0;
  const wide = spread(labels, font, extra, measure);
  const left = (room - wide.end) / 2;
  return wide.spans.map(({ x, width }) => ({ x: x + left, width }));
}

/** The curves: one for every unmasked weight of at least 0.05. @param {Slice} slice @returns {Curve[]} weakest first */
export function curvesOf(slice) {
  const columns = slice.keys.length;
  /** @type {Curve[]} */
  const curves = [];
  slice.weights.forEach((weight, i) => {
    const [query, key] = [Math.floor(i / columns), i % columns];
    if (weight >= kDrawnFrom && !(slice.causal && key > query)) curves.push({ query, key, weight });
  });
  return curves.sort((a, b) => a.weight - b.weight);
}

/** @param {Span} span */
export const middle = ({ x, width }) => x + width / 2;

/** @param {LinesLayout} layout @param {Curve} curve @returns {string} an SVG path */
export function pathOf({ keys, queries, from, to }, { query, key }) {
  const [x1, x2] = [middle(keys[key]), middle(queries[query])].map((x) => Math.round(10 * x) / 10);
  const half = (from + to) / 2;
  return `M${x1} ${from}C${x1} ${half} ${x2} ${half} ${x2} ${to}`;
}

/**
 * A curve's x at a height. The curve is a cubic Bézier with both handles at half height: from one end to the other x goes as
 * 3s² - 2s³, and y as 1.5s - 1.5s² + s³. y only rises, so bisection finds s.
 * @param {LinesLayout} layout
 * @param {Curve} curve
 * @param {number} y
 */
export function curveX({ keys, queries, from, to }, { query, key }, y) {
  const wanted = (y - from) / (to - from);
  let [low, high] = [0, 1];
  for (let i = 0; i < 12; ++i) {
    const s = (low + high) / 2;
    if (1.5 * s - 1.5 * s * s + s ** 3 < wanted) low = s;
    else high = s;
  }
  const s = low;
  const [x1, x2] = [middle(keys[key]), middle(queries[query])];
  return x1 + (x2 - x1) * (3 * s * s - 2 * s ** 3);
}
