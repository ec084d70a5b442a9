// Describes the highlighted place: its pieces by weight, as a short ranked list, and as a sentence for screen readers.

import { formatWeight, reading, readingText } from '../../view/index.js';

/** @typedef {import('../../view/selection.js').Selection} Selection */
/** @typedef {import('../../view/trace.js').Slice} Slice */
/** @typedef {ReturnType<typeof import('../../view/trace.js').alternativesAt>[number]} Alternative */

const kNamed = 5;

/**
 * The data of the description.
 * @typedef {object} Sayable
 * @property {Slice | null} slice
 * @property {Selection} selection
 * @property {(query: number) => number | null} probability of a written piece
 * @property {(query: number) => Alternative[]} alternatives to a written piece
 * @property {((query: number, alternative: Alternative) => void) | null} pick translates the sentence again with
 *   another piece there; null: not possible
 * @property {string} empty the text if there is nothing to describe
 */

/**
 * @param {HTMLElement} panel
 * @param {HTMLElement} spoken a live region
 * @param {Sayable} sayable
 */
export function showReading(panel, spoken, { slice, selection, probability, alternatives, pick, empty }) {
  const { current, pinned } = selection;
  if (!slice || !current) {
    spoken.textContent = '';
    panel.classList.remove('two');
    panel.replaceChildren(...(slice ? unpointed(slice) : [make('p', 'caption', empty)]));
    return;
  }
  spoken.textContent = readingText(slice, current);
  const { subject, relation, links } = reading(slice, current, kNamed);
  const title = make('p', 'subject');
  title.append(make('b', '', subject.text));
  if (subject.read) title.append(' ', make('small', 'stand-in', `“${subject.read}” to the model`));
  title.append(` ${relation}`);
  const query = slice.querySide === 'target' ? current.query : null;
  const written = query === null ? null : probability(query);
  const others = pinned && query !== null ? alternatives(query) : [];
  panel.classList.toggle('two', others.length > 0);
  if (written !== null && !others.length) title.append(' ', make('small', '', `probability ${formatWeight(written)}`));
  if (pinned) title.append(' ', make('small', 'pin', 'pinned'));
  const list = document.createElement('ol');
  list.append(...links.map(({ label, weight }) => link(label.text, weight)));
  const chosen = pick && ((/** @type {Alternative} */ other) => pick(/** @type {number} */ (query), other));
  const shown = panel.querySelector('#alternatives');
  if (shown && shown.children.length === others.length) {
    // The focus may be on its way to one of them.
    panel.children[0].replaceWith(title);
    panel.children[1].replaceWith(list);
    others.forEach((other, i) => fill(shown.children[i], other, chosen));
  } else panel.replaceChildren(title, list, ...(others.length ? instead(others, chosen) : []));
}

/**
 * The alternatives at this place.
 * @param {Alternative[]} others
 * @param {((other: Alternative) => void) | null} pick
 */
function instead(others, pick) {
  const title = make('p', 'subject', 'might have been');
  title.append(' ', make('small', '', pick ? 'pick one' : 'probability'));
  const list = document.createElement('ol');
  list.id = 'alternatives';
  for (const other of others) {
    const item = document.createElement('li');
    if (pick && other.id !== null) item.append(document.createElement('button'));
    fill(item, other, pick);
    list.append(item);
  }
  return [title, list];
}

/** @param {Element} item @param {Alternative} other @param {((other: Alternative) => void) | null} pick */
function fill(item, other, pick) {
  const { label, probability, written } = other;
  const button = item.querySelector('button');
  item.classList.toggle('written', written);
  (button ?? item).replaceChildren(...link(label.text, probability).childNodes);
  if (!button) return;
  button.type = 'button';
  button.setAttribute('aria-pressed', String(written));
  button.setAttribute('aria-label', `${label.text}, probability ${formatWeight(probability)}`);
  button.onclick = () => !written && pick?.(other);
}

/** Without a highlighted place: an instruction, and the head's largest weights. @param {Slice} slice */
function unpointed(slice) {
  const title = make('h2', '', 'Strongest links');
  title.append(' ', make('small', '', 'point at a piece or a cell'));
  const columns = slice.keys.length;
  const ranked = Array.from(slice.weights, (weight, i) => ({ weight, i })).sort((a, b) => b.weight - a.weight);
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
function link(piece, weight) {
  const item = document.createElement('li');
  item.append(make('b', '', piece));
  if (weight === null) item.append(make('span', 'masked', 'comes later: masked'));
  else {
    const bar = make('span', 'bar');
    bar.style.setProperty('--weight', String(weight));
    item.append(make('span', 'number', formatWeight(weight)), bar);
  }
  return item;
}

/** @param {string} tag @param {string} name @param {string} [content] */
function make(tag, name, content = '') {
  const element = document.createElement(tag);
  element.textContent = content;
  if (name) element.className = name;
  return element;
}
