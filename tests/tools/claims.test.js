// The counting and plotting of the measured claims.

import { answers, drawStrings, exact, letters, pairs } from '../claims/letters.mjs';
import { dotPanels, lineChart, spread } from '../claims/plot.mjs';

/** Throws unless every tag of an SVG is closed and in order; returns the names of its elements. */
function elements(svg) {
  const open = [];
  const names = [];
  const rest = svg.replace(
    /<(\/?)([a-z]+)((?: [a-zA-Z][\w:-]*="[^"<]*")*)(\/?)>/g,
    (_, closes, name, attributes, closed) => {
      if (closes) expect(open.pop()).toBe(name);
      else names.push(name);
      if (!closes && !closed) open.push(name);
      return '';
    },
  );
  expect([open, /[<>]|&(?!(amp|lt|gt|quot);)/.test(rest)]).toEqual([[], false]);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  return names;
}

test('each task says which letters are right, and only whole answers count', () => {
  expect(Object.entries(answers).map(([name, task]) => [name, task('abca')])).toEqual([
    ['copy', 'abca'],
    ['doubling', 'aabbccaa'],
    ['reversal', 'acba'],
  ]);
  expect(pairs(['ab', 'c'], answers.doubling)).toBe('ab\taabb\nc\tcc\n');
  expect(exact(['ab', 'cd', 'ef', 'gh'], ['ba', 'cd', 'fe', 'hgh'], answers.reversal)).toBe(0.5);
  expect(() => exact(['ab', 'cd'], ['ba'], answers.reversal)).toThrow('1 answers to 2 strings');
});

test('unseen strings are of the lengths asked for, and none has been seen', () => {
  const known = new Set(drawStrings({ count: 40, least: 1, most: 2, seed: 1 }));
  const unseen = drawStrings({ count: 32, least: 1, most: 2, seed: 2, known }); // all 72 together
  expect(new Set([...known, ...unseen]).size).toBe(72);
  expect(unseen.every((string) => [...string].every((letter) => letters.includes(letter)))).toBe(true);
  expect(drawStrings({ count: 5, least: 3, most: 3, seed: 7 })).toEqual(
    drawStrings({ count: 5, least: 3, most: 3, seed: 7 }),
  );
});

test('plots are well-formed SVG for any names and numbers', () => {
  const points = [1, 10, 100].map((x) => ({ x, y: x / 3, low: x / 4, high: x / 2 }));
  const lines = (log) =>
    lineChart({
      title: '<&">',
      series: [
        { name: 'a < b & "c"', points },
        { name: 'alone', points: points.slice(0, 1), dashed: true },
      ],
      x: { title: 'x', log },
      y: { title: 'y', log },
    });
  for (const log of [false, true]) {
    const names = elements(lines(log));
    expect(names.filter((name) => name === 'circle')).toHaveLength(4);
    expect(lines(log)).toContain('a &lt; b &amp; &quot;c&quot;');
  }
  const marks = [{ kind: 0, value: 0.5, low: 0.4, high: 0.7 }];
  const panels = dotPanels({
    title: 'dots',
    names: ['one', 'two'],
    panels: [{ name: 'left', rows: [marks, [...marks, { ...marks[0], kind: 1 }]] }],
    kinds: [
      { name: 'k', colour: '#000' },
      { name: 'l', colour: '#111' },
    ],
    axis: { title: 'x', ticks: [0, 1], domain: [0, 1], format: String },
  });
  expect(elements(panels).filter((name) => name === 'circle')).toHaveLength(2 + 3);
});

test('labels keep their order and their distance, near where they want to be', () => {
  expect(spread([10, 50, 90], 18, 0, 100)).toEqual([10, 50, 90]);
  expect(spread([51, 50, 49], 18, 0, 100)).toEqual([68, 50, 32]);
  expect(spread([0, 0, 40], 18, 0, 100)).toEqual([0, 18, 40]);
  expect(spread([100, 99], 18, 0, 100)).toEqual([100, 82]);
});
