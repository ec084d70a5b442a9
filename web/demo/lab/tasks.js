// The tasks that the models of the Lab learn. Each draws random pairs; a seed gives the same pairs everywhere.

import { randomDraws } from './random.js';
import { frenchNumber } from './french.js';
import { hullOf } from './hull.js';

/** @typedef {import('./random.js').Draw} Draw */
/** @typedef {[string, string]} Pair source and target */

/**
 * @typedef {object} Task
 * @property {string} name
 * @property {string} says one sentence about what is learnt
 * @property {(draw: Draw, length: number) => Pair} make makes a pair; tasks without `lengths` ignore the length
 * @property {[number, number]} [lengths] the fewest and the most pieces of a source; left out: the task decides
 */

const kLetters = [...'abcdefgh'];
const kMonths = 'January February March April May June July August September October November December'.split(' ');
const kMost = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const letters = (/** @type {Draw} */ draw, /** @type {number} */ length) =>
  Array.from({ length }, () => draw.of(kLetters)).join('');
const two = (/** @type {number} */ n) => String(n).padStart(2, '0');

/** "1st", "2nd", "3rd", "4th", "11th". @param {number} day */
function ordinal(day) {
  const suffix = ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
  return `${day}${day > 10 && day < 14 ? 'th' : suffix}`;
}

/** The ways in which a date is written. @type {((day: number, month: string, year: number) => string)[]} */
const kDates = [
  (day, month, year) => `${ordinal(day)} of ${month} ${year}`,
  (day, month, year) => `${day} ${month} ${year}`,
  (day, month, year) => `${month} ${day}, ${year}`,
  (day, month, year) => `${month.slice(0, 3)} ${day} ${year}`,
];

/** Different numbers from 0 to 99. @param {Draw} draw @param {number} count */
function differentNumbers(draw, count) {
  const numbers = new Set();
  while (numbers.size < count) numbers.add(draw.below(100));
  return [...numbers];
}

/** A number, for which each number of digits is equally likely. @param {Draw} draw @param {number} digits at most */
const numberOf = (draw, digits) => draw.below(10 ** draw.from(1, digits));

/** @type {Record<string, Task>} */
export const tasks = {
  copy: {
    name: 'Copy',
    says: 'Letters are written as they are read.',
    lengths: [2, 16],
    make: (draw, length) => {
      const text = letters(draw, length);
      return [text, text];
    },
  },
  reversal: {
    name: 'Reversal',
    says: 'Letters are written from the last to the first.',
    lengths: [2, 16],
    make: (draw, length) => {
      const text = letters(draw, length);
      return [text, [...text].reverse().join('')];
    },
  },
  sorting: {
    name: 'Sorting',
    says: 'Digits are written from the least to the greatest.',
    lengths: [2, 12],
    make: (draw, length) => {
      const digits = Array.from({ length }, () => draw.below(10));
      return [digits.join(''), digits.toSorted((a, b) => a - b).join('')];
    },
  },
  numbers: {
    name: 'Sorting numbers',
    says: 'Numbers are written from the least to the greatest, as a pointer network can do it.',
    lengths: [3, 8],
    make: (draw, length) => {
      const numbers = differentNumbers(draw, length);
      return [numbers.join(' '), numbers.toSorted((a, b) => a - b).join(' ')];
    },
  },
  hull: {
    name: 'Convex hull',
    says: 'The points on the convex hull are written counter-clockwise, from the first one on.',
    lengths: [4, 10],
    make: (draw, length) => {
      const [xs, ys] = [differentNumbers(draw, length), differentNumbers(draw, length)];
      const points = xs.map((x, i) => /** @type {import('./hull.js').Point} */ ([x, ys[i]]));
      return [
        points.join(' '),
        hullOf(points)
          .map((i) => points[i].join(','))
          .join(' '),
      ];
    },
  },
  addition: {
    name: 'Addition',
    says: 'The sum of two numbers is written from its last digit to its first.',
    make: (draw) => {
      const [a, b] = [numberOf(draw, 3), numberOf(draw, 3)];
      return [`${a}+${b}`, [...String(a + b)].reverse().join('')];
    },
  },
  dates: {
    name: 'Dates',
    says: 'An English date is written as in ISO 8601.',
    make: (draw) => {
      const month = draw.below(12);
      const [day, year] = [draw.from(1, kMost[month]), draw.from(1900, 2099)];
      return [draw.of(kDates)(day, kMonths[month], year), `${year}-${two(month + 1)}-${two(day)}`];
    },
  },
  french: {
    name: 'Numbers in French',
    says: 'A number in digits is written in French words.',
    make: (draw) => {
      const n = numberOf(draw, 4);
      return [String(n), frenchNumber(n)];
    },
  },
};

/**
 * @typedef {object} Data
 * @property {Pair[]} pairs for training
 * @property {Pair[]} unseen for measuring; their sources are not in `pairs`
 */

const kPairs = 12_000;
const kUnseen = 60;
const kTries = 20;

/**
 * The data of a task. The pairs for measuring are drawn first. Each source is drawn once.
 * @param {string} name of a task
 * @param {{seed: number, lengths?: [number, number], pairs?: number, unseen?: number}} choice `lengths`: of the sources, if
 *   the task has lengths
 * @returns {Data}
 */
export function drawData(name, { seed, lengths, pairs = kPairs, unseen = kUnseen }) {
  const task = tasks[name];
  const [least, most] = lengths ?? task.lengths ?? [0, 0];
  const draw = randomDraws(seed);
  const taken = new Set();
  // Pairs whose sources are not taken. There are few short sources, so a source that is taken is drawn again only some times.
  const different = (/** @type {number} */ count) => {
    /** @type {Pair[]} */
    const drawn = [];

    for (let tries = 0; drawn.length < count && tries < kTries * count; ++tries) {
      const pair = task.make(draw, draw.from(least, most));
      if (taken.has(pair[0])) continue;
      taken.add(pair[0]);
      drawn.push(pair);
    }
    return drawn;
  };
  const held = different(unseen);
  return { unseen: held, pairs: different(pairs) };
}

const kLongestFile = 2_000_000;

/**
 * The reader's own pairs. Each line has a source and a target, with a tab, several spaces, " -> " or " = " between them.
 * @param {string} text
 * @param {number} seed decides which lines are held out
 * @returns {Data} throws an Error that says what is wrong
 */
export function ownData(text, seed) {
  if (text.length > kLongestFile) throw new Error('That is more than 2 million characters. Give a part of it.');
  // The pairs, line by line.
  const pairs = text.split(/\r?\n/).flatMap((line, at) => {
    if (line.trim() === '') return [];
    const cut = /\t|\s+(?:->|→|=)\s+| {2,}/.exec(line);
    const [source, target] = cut
      ? [line.slice(0, cut.index).trim(), line.slice(cut.index + cut[0].length).trim()]
      : ['', ''];
    if (!source || !target) {
      throw new Error(`Line ${at + 1} has no source and target: put a tab, " -> " or " = " between them.`);
    }
    return /** @type {Pair[]} */ ([[source, target]]);
  });
  if (pairs.length < 10) throw new Error('Give ten pairs or more, one on each line.');
  // A random order, whose first part is held out.
  const draw = randomDraws(seed);
  const held = Math.min(kUnseen, Math.floor(pairs.length / 10));
  for (let i = pairs.length - 1; i > 0; --i) {
    const j = draw.below(i + 1);
    [pairs[i], pairs[j]] = [pairs[j], pairs[i]];
  }
  // A source that is held out must not be in another line for training.
  const unseen = pairs.slice(0, held);
  const sources = new Set(unseen.map(([source]) => source));
  return { unseen, pairs: pairs.slice(held).filter(([source]) => !sources.has(source)) };
}
