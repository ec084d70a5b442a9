// The results of an encoder for a text: guesses for masked words, labels, tags, or answers to a question. Each function
// below asks the model for one kind of result, and shows it.

import { bars } from '../shared/bars.js';
import { make, segmented } from '../shared/dom.js';
import { tagRow } from './tags.js';

/** @typedef {import('../../lib/models/index.js').Encoder} Encoder */
/** @typedef {{signal: AbortSignal, question: string}} AskOptions */

/**
 * @typedef {object} Answers
 * @property {string} title
 * @property {HTMLElement} node
 * @property {HTMLElement} [which] the choice of a mask, if the text has several
 * @property {(text: string, options: AskOptions) => Promise<any>} ask
 * @property {(result: any, text: string, hidden: (mask: number) => string | null) => void} show a null result: there is no
 *   text; `hidden`: the word behind a mask, if it is known
 * @property {(mask: number) => void} choose selects one of several masks
 */

const kGuesses = 10;
const kLeast = 5e-5; // smaller probabilities are rounded to 0

/**
 * @param {Encoder} model
 * @param {(guess: {mask: number, text: string}) => void} fill puts a guess into the text
 * @returns {Answers}
 */
export function answersOf(model, fill) {
  const { head } = model.info;
  if (head === 'masked') return guesses(model, fill);
  if (head === 'sequence') return labels(model);
  if (head === 'tokens') return tags(model);
  return head === 'answer' ? answers(model) : nothing();
}

/** @param {Encoder} model @param {(guess: {mask: number, text: string}) => void} fill @returns {Answers} */
function guesses(model, fill) {
  /** @type {Awaited<ReturnType<Encoder['fillMask']>>} */
  let masks = [];
  let chosen = 0;
  /** The word behind a mask, if it is known. @type {(mask: number) => string | null} */
  let behind = () => null;
  const list = bars('Guesses, the likeliest first', (i) =>
    fill({ mask: chosen, text: written(masks[chosen].guesses[i].piece) }),
  );
  const which = make('div');
  const none = make('p.caption');
  const node = make('div', {}, none, list.node);
  // The guesses for one mask.
  function draw() {
    chosen = Math.max(0, Math.min(chosen, masks.length - 1));
    list.show(
      (masks[chosen]?.guesses ?? []).map(({ piece, probability }) => ({
        name: written(piece) || piece,
        action: 'put it in',
        value: probability,
        note: share(probability),
      })),
    );
    which.replaceChildren(...(masks.length > 1 ? [picker()] : []));
  }
  // The choice of a mask: by its word if that is known, or by its number.
  function picker() {
    const ordinal = (/** @type {unknown} */ _, /** @type {number} */ i) =>
      /** @type {[string, string]} */ ([String(i), behind(i) ?? `${i + 1}.`]);
    const { node: choice, set } = segmented('Which hidden word', masks.map(ordinal), (value) => choose(Number(value)));
    set(String(chosen));
    return choice;
  }
  function choose(/** @type {number} */ mask) {
    chosen = mask;
    if (mask < masks.length) draw();
  }
  return {
    title: 'Guesses for the hidden word',
    node,
    which,
    choose,
    ask: (text, { signal }) => model.fillMask(text, { signal, count: kGuesses }),
    show(found, _, hidden) {
      masks = found ?? [];
      behind = hidden;
      none.hidden = masks.length > 0;
      none.textContent = `Nothing is hidden. Press a word to hide it, or type ${model.info.mask}.`;
      draw();
    },
  };
}

/** @param {Encoder} model @returns {Answers} */
function labels(model) {
  const list = bars('Labels, the likeliest first');
  return {
    title: 'What the text is',
    node: list.node,
    choose() {},
    ask: (text, { signal }) => model.classify(text, { signal }),
    show(/** @type {Awaited<ReturnType<Encoder['classify']>> | null} */ classes) {
      list.show((classes ?? []).map(({ label, score }) => ({ name: label, value: score, note: share(score) })));
    },
  };
}

/** @param {Encoder} model @returns {Answers} */
function tags(model) {
  const row = tagRow();
  return {
    title: 'What each piece is',
    node: row.node,
    choose() {},
    ask: (text, { signal }) => model.tag(text, { signal }),
    show(tags, text) {
      row.show(
        (tags ?? []).map((/** @type {import('../../lib/models/index.js').Tag} */ { begin, end, label, score }) => ({
          text: text.slice(begin, end).trim(),
          label,
          score,
        })),
      );
    },
  };
}

/** @param {Encoder} model @returns {Answers} */
function answers(model) {
  const list = bars('Answers, the best first');
  return {
    title: 'Where the answer is',
    node: list.node,
    choose() {},
    ask: async (text, { signal, question }) =>
      question.trim() ? model.answer(question, text, { signal, count: 5 }) : [],
    show(/** @type {Awaited<ReturnType<Encoder['answer']>> | null} */ found) {
      list.show((found ?? []).map(({ text, score }) => ({ name: text, value: score, note: share(score) })));
    },
  };
}

/** @returns {Answers} */
const nothing = () => ({
  title: 'No head',
  node: make('p.caption', {}, 'This model has no output head. What its attention heads look at is shown below.'),
  choose() {},
  ask: async () => null,
  show() {},
});

/** The text of a piece, without the sign that says whether it begins a word. @param {string} piece */
const written = (piece) => piece.replace(/^(##|[▁Ġ])/, '');

/** A probability in percent, with two or three digits. @param {number} probability */
export function share(probability) {
  if (probability > 0 && probability < kLeast) return '<0.01 %';
  return `${(100 * probability).toFixed(probability < 0.0995 ? 2 : 1)} %`;
}
