// Describes the highlighted place as a short list of its pieces, ranked by weight, and as a sentence for screen readers.

import { formatWeight, reading, readingText, samePlace } from '../../view/index.js';
import { isMasked } from '../../view/trace.js';
import { fillAlternatives, pieceWithWeight } from './alternatives.js';
import { make } from './dom.js';

/** @typedef {import('../../view/selection.js').Selection} Selection */
/** @typedef {import('../../view/trace.js').Slice} Slice */
/** @typedef {import('./alternatives.js').Alternative} Alternative */

const kNamed = 5;

/**
 * What is described.
 * @typedef {object} Description
 * @property {Slice | null} slice
 * @property {Selection} selection
 * @property {(query: number) => number | null} probability of a written piece
 * @property {(query: number) => Alternative[]} alternatives to a written piece
 * @property {((query: number, alternative: Alternative) => void) | null} pick translates the sentence again with
 *   another piece there; null: not possible
 * @property {((cell: {query: number, key: number}) => Node) | null} explain makes a link that explains the weight of a cell
 * @property {string} empty the text when there is nothing to describe
 */

/**
 * @param {HTMLElement} panel
 * @param {HTMLElement} spoken a live region
 * @param {Description} description
 */
export function showReading(panel, spoken, { slice, selection, probability, alternatives, pick, explain, empty }) {
  const { current, pinned } = selection;
  if (!slice || !current) {
    spoken.textContent = '';
    panel.classList.remove('two');
    panel.replaceChildren(...(slice ? strongestLinks(slice) : [make('p.caption', {}, empty)]));
    return;
  }
  // The title: the piece, and what it does.
  spoken.textContent = readingText(slice, current);
  const { subject, relation, links } = reading(slice, current, kNamed);
  const title = make('p.subject', {}, make('b', {}, subject.text));
  if (subject.read) title.append(' ', make('small.stand-in', {}, `“${subject.read}” to the model`));
  title.append(` ${relation}`);
  const query = slice.querySide === 'target' ? current.query : null;
  const written = query === null ? null : probability(query);
  const others = pinned && query !== null ? alternatives(query) : [];
  panel.classList.toggle('two', others.length > 0);
  if (written !== null && !others.length) title.append(' ', make('small', {}, `probability ${formatWeight(written)}`));
  if (pinned) title.append(' ', make('small.pin', {}, 'pinned'));
  // The pieces by weight, and the alternatives of a pinned piece.
  const list = document.createElement('ol');
  list.append(...links.map(({ label, weight }) => link(label.text, weight)));
  const chosen = pick && ((/** @type {Alternative} */ other) => pick(/** @type {number} */ (query), other));
  const shown = panel.querySelector('#alternatives');
  if (shown && shown.children.length === others.length) {
    // The list of alternatives stays in the page, because one of them may have the focus.
    panel.children[0].replaceWith(title);
    panel.children[1].replaceWith(list);
    fillAlternatives(shown, others, chosen);
  } else panel.replaceChildren(title, list, ...(others.length ? alternativesList(others, chosen) : []));
  // The explanation of a pinned cell.
  panel.querySelector('.made')?.remove();
  const { query: row, key: column } = current;
  if (explain && samePlace(current, pinned) && row !== null && column !== null && !isMasked(slice, row, column))
    panel.append(explain({ query: row, key: column }));
}

/**
 * The alternatives at this place.
 * @param {Alternative[]} others
 * @param {((other: Alternative) => void) | null} pick
 */
function alternativesList(others, pick) {
  const title = make('p.subject', {}, 'might have been ', make('small', {}, pick ? 'pick one' : 'probability'));
  const list = make('ol', { id: 'alternatives' });
  fillAlternatives(list, others, pick);
  return [title, list];
}

/** The largest weights of the head, and an instruction: shown while no place is highlighted. @param {Slice} slice */
function strongestLinks(slice) {
  const title = make('h2', {}, 'Strongest links ', make('small', {}, 'point at a piece or a cell'));
  const columns = slice.keys.length;
  const ranked = Array.from(slice.weights, (weight, i) => ({ weight, i }))
    .filter(({ i }) => !isMasked(slice, Math.floor(i / columns), i % columns))
    .sort((a, b) => b.weight - a.weight);
  const list = document.createElement('ol');
  list.append(
    ...ranked.slice(0, kNamed).map(({ weight, i }) => {
      const [query, key] = [slice.queries[Math.floor(i / columns)], slice.keys[i % columns]];
      return link(`${query.text} → ${key.text}`, weight);
    }),
  );
  return [title, list];
}

/** @param {string} piece @param {number | null} weight null: masked */
const link = (piece, weight) =>
  weight === null
    ? make('li', {}, make('b', {}, piece), make('span.masked', {}, 'comes later: masked'))
    : make('li', {}, ...pieceWithWeight(piece, weight));
