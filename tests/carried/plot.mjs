// The picture of tests/carried/reliability.mjs, as an SVG for light and dark pages.

/** @typedef {import('./reliability.mjs').Reliability} Reliability */
/** @typedef {{name: string, points: [x: number, y: number][]}} Line */

const [kWidth, kHeight, kLeft, kTop, kBottom, kGap] = [340, 240, 44, 34, 44, 30];
/** One for each line, and its dashes: colour is not all that tells them apart. */
const kInks = ['', '6 3', '2 3'];

const kStyle = `
  svg { font: 12px system-ui, sans-serif; fill: #333; background: #fff; }
  .grid { stroke: #ddd; } .limit { stroke: #b33; } .line { fill: none; stroke-width: 2; } .title { font-weight: 600; }
  .i0 { stroke: #2266bb; } .i1 { stroke: #bb5500; } .i2 { stroke: #118855; }
  @media (prefers-color-scheme: dark) {
    svg { fill: #ccc; background: #161616; } .grid { stroke: #333; } .limit { stroke: #e77; }
    .i0 { stroke: #77aaee; } .i1 { stroke: #ee9955; } .i2 { stroke: #55cc99; }
  }`;

/**
 * A panel: its lines over confidence.
 * @param {number} left
 * @param {{title: string, lines: Line[], x: [number, number], y: [number, number], step: number, unit: string, limit?: number}} what
 */
function panel(left, { title, lines, x, y, step, unit, limit }) {
  const [right, bottom] = [left + kWidth - kLeft - kGap, kHeight - kBottom];
  const across = (/** @type {number} */ value) => (left + ((value - x[0]) / (x[1] - x[0])) * (right - left)).toFixed(1);
  const up = (/** @type {number} */ value) => (bottom - ((value - y[0]) / (y[1] - y[0])) * (bottom - kTop)).toFixed(1);
  const parts = [`<text class="title" x="${left}" y="18">${title}</text>`];
  for (let value = y[0]; value <= y[1]; value += step) {
    parts.push(`<path class="grid" d="M${left} ${up(value)}H${right}"/>`);
    parts.push(`<text x="${left - 6}" y="${up(value)}" dy="4" text-anchor="end">${value}${unit}</text>`);
  }
  for (let tenth = Math.round(10 * x[0]); tenth <= 10 * x[1]; ++tenth)
    parts.push(`<text x="${across(tenth / 10)}" y="${bottom + 16}" text-anchor="middle">${tenth / 10}</text>`);
  parts.push(`<text x="${(left + right) / 2}" y="${bottom + 34}" text-anchor="middle">confidence</text>`);
  if (limit !== undefined)
    parts.push(`<path class="limit" stroke-dasharray="4 4" d="M${left} ${up(limit)}H${right}"/>`);
  lines.forEach(({ name, points }, i) => {
    const path = points.map(([a, b]) => `${across(a)} ${up(b)}`).join('L');
    parts.push(`<path class="line i${i}" stroke-dasharray="${kInks[i]}" d="M${path}"><title>${name}</title></path>`);
  });
  return parts.join('\n');
}

/** @param {Reliability[]} reliabilities at most three @returns {string} */
export function reliabilityPlot(reliabilities) {
  const names = reliabilities.map(({ name }, i) => {
    const at = kLeft + 90 * i;
    const line = `<path class="line i${i}" stroke-dasharray="${kInks[i]}" d="M${at} ${kHeight + 8}h24"/>`;
    return `${line}<text x="${at + 30}" y="${kHeight + 12}">${name}</text>`;
  });
  const quality = panel(kLeft, {
    title: 'mean chrF of a tenth of the sentences',
    lines: reliabilities.map(({ name, groups }) => ({ name, points: groups.map((g) => [g.confidence, g.chrf]) })),
    x: [0.4, 0.9],
    y: [30, 90],
    step: 20,
    unit: '',
  });
  const doubt = panel(kWidth + kLeft, {
    title: 'worse than the median, of those below',
    lines: reliabilities.map(({ name, thresholds }) => ({
      name,
      points: thresholds.map((t) => [t.below, 100 * t.worse]),
    })),
    x: [0.4, 0.9],
    y: [50, 100],
    step: 10,
    unit: ' %',
    limit: 70,
  });
  const size = `viewBox="0 0 ${2 * kWidth} ${kHeight + 24}" width="${2 * kWidth}" height="${kHeight + 24}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">
<title>How quality follows confidence</title>
<style>${kStyle}
</style>
${[quality, doubt, ...names].join('\n')}
</svg>
`;
}
