// What drafts would save a greedy translation (web/docs/roofline.md, "Several pieces a step"). Nothing is drafted: each
// kind of draft guesses the pieces of translations that are known, and the passes are counted that would remain.
//
// usage: drafts.mjs TEXT MODEL [TINY]   TEXT: sentences, one a line; TINY: a model of the same vocabulary that drafts for MODEL

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Translator } from '../../web/lib/index.js';

const kLongest = 15; // guesses of a draft, as in core/decode/prompt_lookup.h
const kNone = -1; // stands between source and target; no piece has it

/** @typedef {(written: number[]) => number[]} Drafter the guesses behind what is written */

/**
 * Prompt look-up: the place behind the last earlier occurrence of the last `most` pieces, or of fewer, at least `least`.
 * @param {number[]} text
 * @param {number} least
 */
function behindTheSame(text, least) {
  for (let length = 3; length >= least; --length) {
    const tail = text.slice(-length);
    for (let at = text.length - length - 1; at >= 0 && tail.length === length; --at) {
      if (!tail.includes(kNone) && tail.every((piece, i) => text[at + i] === piece)) return at + length;
    }
  }
  return 0;
}

/**
 * Guesses one piece, and one more for each guess in a row that was right.
 * @param {number[]} before what is looked up besides the target
 * @param {number} least pieces that must be the same
 * @returns {Drafter}
 */
function lookUp(before, least) {
  let [next, right, read] = [0, 0, 0];
  return (written) => {
    const text = [...before, kNone, ...written];
    for (; read < written.length; ++read) {
      const known = text.slice(0, before.length + 1 + read + 1);
      const isRight = next > 0 && text[next] === known.at(-1);
      right = isRight ? right + 1 : 0;
      next = isRight ? next + 1 : behindTheSame(known, least);
    }
    return next > 0 ? text.slice(next, next + Math.min(kLongest, right + 1)).filter((piece) => piece !== kNone) : [];
  };
}

/**
 * Guesses the pieces of another translation, from the place where both have the same piece again. At first it guesses as many
 * pieces as a draft may have. After a wrong guess it guesses one piece, and one more after each right guess.
 * @param {number[]} other
 * @returns {Drafter}
 */
function follow(other) {
  const kFar = 4; // pieces that are skipped at most
  let [at, read, right] = [0, 0, kLongest];
  return (written) => {
    for (; read < written.length; ++read) {
      const found = other.indexOf(written[read], at);
      right = found === at ? right + 1 : 0;
      at = found >= 0 && found < at + kFar ? found + 1 : at;
    }
    return other.slice(at, at + Math.min(kLongest, right + 1));
  };
}

/** A tiny model's guesses, `count` at a time: what it writes behind the pieces that are right. */
const guessed = (guesses, target, count) => (written) => {
  const draft = [];
  for (let i = written.length; draft.length < count && i < guesses.length; ++i) {
    draft.push(guesses[i]);
    if (guesses[i] !== target[i]) break; // what it guesses behind a wrong piece is wrong for us
  }
  return [...draft, ...Array(Math.max(0, Math.min(count, guesses.length - written.length) - draft.length)).fill(kNone)];
};

/** Passes with drafts. @param {[number[], Drafter][]} targets */
function count(targets) {
  const sum = { pieces: 0, passes: 0, guesses: 0, right: 0 };
  for (const [target, draft] of targets) {
    for (let at = 0; at < target.length;) {
      const guesses = draft(target.slice(0, at)).slice(0, target.length - at - 1);
      const wrong = guesses.findIndex((piece, i) => piece !== target[at + i]);
      const right = wrong < 0 ? guesses.length : wrong;
      sum.passes += 1;
      sum.guesses += guesses.length;
      sum.right += right;
      sum.pieces += right + 1;
      at += right + 1;
    }
  }
  return sum;
}

// The cost of a further row of a pass, as a part of a step.
const kRows = [0.2, 0.33, 0.65];

/** @param {string} name @param {[number[], Drafter][]} targets */
function print(name, targets) {
  const { pieces, passes, guesses, right } = count(targets);
  const times = kRows.map((row) => `${(pieces / (passes + row * guesses)).toFixed(2)} at ${row}`).join(', ');
  const share = guesses ? `${((100 * right) / guesses).toFixed(0)} %` : '-';
  console.log(`${name}: ${guesses} guesses for ${pieces} pieces, right: ${share}; times as fast: ${times}`);
}

const [text, model, tiny] = process.argv.slice(2);
const open = (/** @type {string} */ folder) => {
  const options = { sourceLanguage: 'en', targetLanguage: 'fr', beam: 1, store: false };
  return Translator.create({ ...options, model: `${pathToFileURL(resolve(folder))}/` });
};
const plain = { copy: false };
const lines = readFileSync(text, 'utf8').split('\n').filter(Boolean);

const translator = await open(model);
const pairs = [];
for (const line of lines) {
  const { source, target } = await translator.trace(line, plain);
  pairs.push({ line, source: [...source.ids], target: [...target.ids], text: target.text });
}
print(
  'repetitions in the target',
  pairs.map(({ target }) => [target, lookUp([], 2)]),
);
print(
  'and in the source',
  pairs.map(({ source, target }) => [target, lookUp(source, 2)]),
);
print(
  'from one copied piece on',
  pairs.map(({ source, target }) => [target, lookUp(source, 1)]),
);

// As a person types: the translation of the words before the last one.
const typed = [];
for (const { line, target } of pairs) {
  const shorter = line.split(' ').slice(0, -1).join(' ');
  const { hypotheses } = await translator.search(shorter, plain);
  typed.push([target, follow([...hypotheses[0].ids].slice(0, -1))]);
}
print('the translation of all but the last word', typed);
translator.destroy();

if (tiny) {
  const drafter = await open(tiny);
  const scored = [];
  for (const { line, target, text: translation } of pairs) {
    const { target: read, alternatives } = await drafter.trace({ source: line, target: translation }, plain);
    const isSame = read.ids.length === target.length && read.ids.every((id, i) => id === target[i]);
    if (isSame) scored.push({ target, guesses: target.map((_, i) => alternatives.ids[i * alternatives.count]) });
  }
  console.log(`${scored.length} of ${pairs.length} translations are cut into the same pieces`);
  for (const most of [1, 2, 3, 4]) {
    print(
      `${most} pieces of the tiny model`,
      scored.map(({ target, guesses }) => [target, guessed(guesses, target, most)]),
    );
  }
  drafter.destroy();
}
