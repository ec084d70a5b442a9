// The alternatives at a place of the translation: each piece with its probability. A piece that can be picked is a button.

import { formatWeight } from '../../view/index.js';
import { make } from './dom.js';

/** @typedef {ReturnType<typeof import('../../view/trace.js').alternativesAt>[number]} Alternative */

/**
 * Writes the alternatives into a list. If the number of items stays the same, the items stay too: one may have the focus.
 * @param {Element} list
 * @param {Alternative[]} others
 * @param {((other: Alternative) => void) | null} pick
 */
export function fillAlternatives(list, others, pick) {
  if (list.children.length !== others.length)
    list.replaceChildren(
      ...others.map((other) =>
        make('li', {}, ...(pick && other.id !== null ? [make('button', { type: 'button' })] : [])),
      ),
    );
  others.forEach((other, i) => fill(list.children[i], other, pick));
}

/** @param {Element} item @param {Alternative} other @param {((other: Alternative) => void) | null} pick */
function fill(item, other, pick) {
  const { label, probability, written } = other;
  const button = item.querySelector('button');
  item.classList.toggle('written', written);
  (button ?? item).replaceChildren(...pieceWithWeight(label.text, probability));
  if (!button) return;
  button.setAttribute('aria-pressed', String(written));
  button.onclick = () => !written && pick?.(other);
}

/** A piece, and its weight as a number and as a bar. @param {string} piece @param {number} weight @returns {Node[]} */
export function pieceWithWeight(piece, weight) {
  const bar = make('span.bar', { 'aria-hidden': 'true' });
  bar.style.setProperty('--weight', String(weight));
  return [make('b', {}, piece), make('span.number', {}, formatWeight(weight)), bar];
}
