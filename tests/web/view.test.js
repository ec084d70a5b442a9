// The parts of web/view that need no browser.

import { WeightScale, fromOklab, toOklab } from '../../web/view/colour.js';
import { Selection } from '../../web/view/selection.js';
import {
  headsOf,
  labelOf,
  labelsOf,
  piecesAt,
  placeOfPiece,
  reading,
  readingText,
  shade,
  sliceOf,
} from '../../web/view/trace.js';

const light = new WeightScale(['#ffffff', '#6c9fd8', '#0b2a63']);
const dark = new WeightScale(['#1b1e24', '#47879a', '#fbf1b4']);

test('forget gates are one head more of the decoder, whose columns are units', () => {
  const side = { text: 'a b', pieces: ['▁a', '▁b'], begin: [0, 2], end: [1, 3] };
  const weights = (heads, columns, values) => ({ shape: [1, heads, 2, columns], data: Float32Array.from(values) });
  const trace = {
    ...{ source: side, target: side, targetInput: ['<pad>', '▁a'], cross: weights(1, 2, [1, 0, 0, 1]) },
    ...{ decoderSelf: weights(1, 2, [1, 0, 0.5, 0.25]), gates: weights(1, 3, [0.1, 0.2, 0.3, 0.4, 0.5, 0.9]) },
  };
  expect(headsOf(trace, 'decoderSelf')).toEqual([1, 2]);
  expect(headsOf(trace, 'cross')).toEqual([1, 1]);
  const slice = sliceOf(trace, { kind: 'decoderSelf', layer: 0, head: 1 });
  expect(slice.keys.map(({ text }) => text)).toEqual(['1', '2', '3']);
  expect([slice.keySide, slice.causal, slice.weights[5]]).toEqual([null, false, Math.fround(0.9)]);
  expect(readingText(slice, { query: 1, key: null }, 1)).toBe('“b” keeps of unit “3” 0.90');
  expect(placeOfPiece(slice, 'source', 0)).toBeNull();
  expect(sliceOf({ ...trace, gates: undefined }, { kind: 'decoderSelf', layer: 0, head: 1 }).keySide).toBe('target');
});

test('OKLab: the values of its definition, and back', () => {
  // The numbers of https://bottosson.github.io/posts/oklab/: XYZ of D65 white; and sRGB red by CSS Color 4's sample
  // code.
  expect(toOklab('#ffffff').map((c) => +c.toFixed(4) + 0)).toEqual([1, 0, 0]);
  expect(toOklab('#ff0000').map((c) => +c.toFixed(3))).toEqual([0.628, 0.225, 0.126]);
  for (const rgb of [
    [0, 0, 0],
    [12, 200, 99],
    [255, 128, 1],
  ])
    expect(fromOklab(toOklab(`rgb(${rgb})`))).toEqual(rgb);
});

test.each([
  ['light', light],
  ['dark', dark],
])('equal steps of weight look equal, %s', (_, scale) => {
  const labs = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1].map((weight) => toOklab(scale.css(weight)));
  const steps = labs.slice(1).map((lab, i) => Math.hypot(...lab.map((c, j) => c - labs[i][j])));
  expect(Math.max(...steps) / Math.min(...steps)).toBeLessThan(1.15); // rounding to 8 bits, and one clipped corner
  const lightness = labs.map(([L]) => L);
  const sorted = lightness.toSorted((a, b) => (scale === light ? b - a : a - b));
  expect(lightness).toEqual(sorted);
});

test.each([
  ['light', light],
  ['dark', dark],
])('numbers read on every weight, %s', (_, scale) => {
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (let weight = 0; weight <= 1; weight += 0.01) {
    const ground = luminance(scale.rgb(weight));
    const ink = scale.ink(weight) === '#fff' ? 1 : 0;
    const contrast = (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05);
    expect(contrast).toBeGreaterThanOrEqual(4.5);
  }
});

/** Two layers of two heads, 3 source and 2 target pieces. Each weight encodes its place: layer, head, row, column. */
function madeTrace() {
  const map = (rows, columns) => ({
    shape: [2, 2, rows, columns],
    data: Float32Array.from({ length: 4 * rows * columns }, (_, i) => i / (4 * rows * columns)),
  });
  return {
    source: { text: 'a b', pieces: ['▁a', '▁b', '</s>'], begin: [0, 1, 3], end: [1, 3, 3] },
    target: { text: 'c', pieces: ['▁c', '</s>'], begin: [0, 1], end: [1, 1], logProbs: [-0.1, -0.2] },
    targetInput: ['<pad>', '▁c'],
    encoderSelf: map(3, 3),
    decoderSelf: map(2, 2),
    cross: map(2, 3),
    alignment: { shape: [2, 3], data: new Float32Array([0.9, 0.1, 0, 0, 0.2, 0.8]), heads: [[1, 0]], note: '' },
  };
}

test('labels: the boundary marker is never shown', () => {
  expect(labelOf('▁the')).toEqual({ text: 'the', word: true, special: false });
  expect(labelOf('ing')).toEqual({ text: 'ing', word: false, special: false });
  expect(labelOf('▁').text).toBe('␣');
  expect(labelOf('</s>').special).toBe(true);
});

test('labels: what stands in the text, where the model read something else', () => {
  const side = {
    text: 'See https://x.org/y AT ½.',
    pieces: ['▁See', '▁3', '45', '▁at', '▁1', '⁄2', '.', '.', '</s>'],
    begin: [0, 3, 4, 19, 22, 22, 24, 25, 25],
    end: [3, 19, 19, 22, 24, 24, 25, 25, 25],
  };
  const labels = labelsOf(side);
  expect(labels.map(({ text }) => text)).toEqual(['See', 'https://x.org/y', '…', 'AT', '½', '…', '.', '.', '</s>']);
  expect(labels.map(({ read }) => read)).toEqual([
    undefined,
    '3',
    '45',
    'at',
    '1',
    '⁄2',
    undefined,
    undefined,
    undefined,
  ]);
  expect(labels.map(({ word }) => word).slice(0, 4)).toEqual([true, true, false, true]);
});

test('a slice is one head’s part of the trace, on the right axes', () => {
  const trace = madeTrace();
  const slice = sliceOf(trace, { kind: 'cross', layer: 1, head: 0 });
  expect(Array.from(slice.weights)).toEqual(Array.from(trace.cross.data.slice(12, 18)));
  expect(slice.queries.map(({ text }) => text)).toEqual(['c', '</s>']);
  expect(slice.keys.map(({ text }) => text)).toEqual(['a', 'b', '</s>']);
  expect(sliceOf({ ...trace, decoderSelf: null }, { kind: 'decoderSelf', layer: 0, head: 0 })).toBeNull();
});

test('decoder self-attention: keys are inputs, one behind the pieces, and later ones are masked', () => {
  const slice = sliceOf(madeTrace(), { kind: 'decoderSelf', layer: 0, head: 1 });
  expect(slice.keys.map(({ text }) => text)).toEqual(['<pad>', 'c']);
  expect(reading(slice, { query: 0, key: 1 })).toMatchObject({ relation: 'cannot see', links: [{ weight: null }] });
  expect(readingText(slice, { query: 0, key: 1 })).toContain('masked');
  expect(piecesAt(slice, { query: 1, key: null }, 'target')).toEqual({ pointed: 1, weights: [slice.weights[3], null] });
  expect(placeOfPiece(slice, 'source', 0)).toBeNull();
});

test('a reading ranks what a piece attends to, and what attends to it', () => {
  const slice = sliceOf(madeTrace(), { kind: 'alignment', layer: 0, head: 0 });
  expect(readingText(slice, { query: 0, key: null })).toBe('“c” aligns with “a” 0.90, “b” 0.10, “</s>” 0.00');
  expect(reading(slice, { query: null, key: 1 }).links.map(({ label }) => label.text)).toEqual(['</s>', 'c']);
});

test('row scaling divides by the row’s maximum', () => {
  const slice = sliceOf(madeTrace(), { kind: 'alignment', layer: 0, head: 0 });
  expect(shade(slice, 'row')(1, 2)).toBe(1);
  expect(shade(slice, 'row')(1, 1)).toBeCloseTo(0.25);
  expect(shade(slice, 'absolute')(1, 1)).toBeCloseTo(0.2);
});

test('selection: pointing passes, pinning stays, the same click or clear() frees', () => {
  const selection = new Selection();
  let changes = 0;
  selection.addEventListener('change', () => ++changes);
  const [a, b] = [
    { query: 0, key: null },
    { query: 1, key: 2 },
  ];
  selection.point(a);
  selection.point({ ...a });
  expect(changes).toBe(1);
  selection.toggle(a);
  selection.point(b);
  expect(selection.current).toEqual(b);
  selection.point(null);
  expect(selection.current).toEqual(a);
  selection.toggle({ ...a });
  expect(selection.current).toBeNull();
});
