// Relative positions: a number, a vector, a slope or a rotation for each distance between a query and a key.

import { attention, positions } from '../../../lib/attention/index.js';
import { make, segmented } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { Plot } from '../plot.js';
import { texts } from '../texts.js';

const kSame = 5; // words that are the same, so that only their distances differ
const kWord = [1, 0.5];
const kFar = 8; // the distances of the plot
const kSlopes = 8;
/** The slopes with a name at their line, and how far below the line it is. @type {[number, number][]} */
const kNamed = [
  [0, 14],
  [1, 14],
  [7, -6],
];

const sameWords = (count = kSame) => Array.from({ length: count }, () => kWord);

/** Rows rotated by their positions. @param {number[][]} rows @returns {Promise<number[][]>} */
async function rotated(rows) {
  const { data } = await positions.rotary(rows);
  const size = rows[0].length;
  const round = (/** @type {number} */ x) => Math.round(100 * x) / 100 + 0;
  return rows.map((_, i) => Array.from(data.subarray(i * size, (i + 1) * size), round));
}

/** What each kind of relative positions changes in the state. @type {Record<string, () => Promise<Partial<import('../state.js').State>>>} */
const kWays = {
  t5: async () => ({ query: sameWords(), key: sameWords(), score: 't5', parameters: firstOfT5() }),
  shaw: async () => ({ query: sameWords(), key: sameWords(), score: 'shaw', parameters: { A_k: kVectors } }),
  alibi: async () => ({ query: sameWords(), key: sameWords(), score: 'alibi', parameters: { slope: [[0.5]] } }),
  rotary: async () => {
    const rows = await rotated(sameWords());
    return { query: rows, key: rows, score: 'scaled-dot', parameters: {} };
  },
};

const firstOfT5 = () => ({
  b: [
    [2, 0.5, -1],
    [0, 0.5, -1],
  ],
  distance: [[4]],
});

/** Shaw's vectors for the distances −2 to 2: the previous word gets the largest score. */
const kVectors = [
  [-1, 0],
  [2, 1],
  [0.5, 0],
  [-0.5, 0],
  [-1, 0],
];

/** The kind of relative positions in a state. @param {import('../state.js').State} state */
const wayOf = ({ score }) => (score === 'scaled-dot' ? 'rotary' : score);

/** @type {import('../presets.js').Preset} */
export const distances = {
  id: 'distances',
  equations: [
    '\\s{s_{ij}} = \\q{q_i}^⊤ \\k{k_j} + b_{j − i}',
    '\\s{s_{ij}} = \\frac{\\q{q_i}^⊤ (\\k{k_j} + a_{j − i})}{\\sqrt{d}}',
    '\\s{s_{ij}} = \\frac{\\q{q_i}^⊤ \\k{k_j}}{\\sqrt{d}} − m | i − j |',
    '\\s{s_{ij}} = \\frac{(R_i \\q{q_i})^⊤ R_j \\k{k_j}}{\\sqrt{d}}',
  ],
  papers: [papers.shaw, papers.raffel, papers.press, papers.su],
  state: () => ({
    query: sameWords(),
    queryNames: Array.from({ length: kSame }, (_, i) => `la ${i}`),
    key: sameWords(),
    keyNames: Array.from({ length: kSame }, (_, j) => `la ${j}`),
    value: Array.from({ length: kSame }, (_, j) => [j, kSame - 1 - j]),
    score: 't5',
    parameters: firstOfT5(),
    pinned: { matrix: 'scores', row: 2, column: 1 },
  }),
  scene: (workbench) => {
    const own = texts.lessons.distances;
    const ways = segmented(own.how, Object.entries(own.kinds), async (way) =>
      workbench.open({ ...(await kWays[way]()), pinned: { matrix: 'scores', row: 2, column: 1 } }),
    );
    const ticks = [-8, -4, 0, 4, 8];
    const plot = new Plot({
      x: { name: own.distance, from: -kFar, to: kFar, ticks },
      y: { name: own.score, from: -4, to: 4, ticks: [-4, -2, 0, 2, 4] },
      height: 230,
    });
    const note = make('p.caption', {}, own.slopes);
    return {
      node: make('div.picture.stacked', {}, make('div.row', {}, ways.node), plot.node, note),
      // The scores over distances: of the state, and for ALiBi of all slopes.
      async show(state) {
        const way = wayOf(state);
        ways.set(way);
        note.hidden = way !== 'alibi';
        if (!(way in kWays) || state.heads > 1) return;
        const now = await byDistance(way, state.score, state.parameters);
        const slopes =
          way === 'alibi' ? await Promise.all(slopesOf().map((m) => byDistance(way, 'alibi', { slope: [[m]] }))) : [];
        const most = Math.max(2, ...[now, ...slopes].flat().map(([, score]) => Math.abs(score)));
        const top = Math.ceil(most);
        Object.assign(plot.y, { from: -top, to: top, ticks: [-top, -top / 2, 0, top / 2, top] });
        const said = now.filter(([at]) => Math.abs(at) <= 2).map(([at, score]) => `${at}: ${score.toFixed(2)}`);
        plot.show(own.sentence(own.kinds[/** @type {keyof typeof own.kinds} */ (way)], said.join(', ')), () => [
          ...slopes.map((line) => plot.line(line, 'of-key')),
          ...(slopes.length > 0 ? kNamed : []).map(([h, dy]) => {
            const [x, y] = slopes[h][0];
            return plot.text(x, y, `m = 1/${2 ** (h + 1)}`, 'of-key', { dx: 4, dy });
          }),
          plot.line(now, 'of-score'),
          ...now.map(([at, score]) => plot.dot(at, score, 'of-score', 4)),
        ]);
      },
    };
  },
};

/** The slopes of eight heads (Press et al.): 1/2, 1/4, … */
const slopesOf = () => Array.from({ length: kSlopes }, (_, h) => 2 ** -(h + 1));

/**
 * The engine's scores of one query with keys at each distance. All of them are the same word.
 * @param {string} way @param {string} score @param {Record<string, number[][]>} parameters
 * @returns {Promise<[number, number][]>} distance and score
 */
async function byDistance(way, score, parameters) {
  const words = sameWords(2 * kFar + 1);
  const rows = way === 'rotary' ? await rotated(words) : words;
  const { scores } = await attention(
    /** @type {any} */ ({ query: rows, key: rows, score, parameters, record: ['scores'] }),
  );
  const own = scores.data.subarray(kFar * rows.length, (kFar + 1) * rows.length);
  return Array.from(own, (value, j) => [j - kFar, value]);
}
