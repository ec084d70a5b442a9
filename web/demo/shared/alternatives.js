// What might have been written at a place: each piece with its probability. If it can be picked, it is a button.

import { formatWeight } from '../../view/index.js';
import { make } from './dom.js';

/** @typedef {ReturnType<typeof import('../../view/trace.js').alternativesAt>[number]} Alternative */

/**
 * Writes the alternatives into a list. A list of as many items keeps them, since the focus may be on one.
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
  (button ?? item).replaceChildren(...weighed(label.text, probability));
  if (!button) return;
  button.setAttribute('aria-pressed', String(written));
  button.onclick = () => !written && pick?.(other);
}

/** A piece, its weight as a number, and as a bar. @param {string} piece @param {number} weight @returns {Node[]} */
export function weighed(piece, weight) {
  const bar = make('span.bar', { 'aria-hidden': 'true' });
  bar.style.setProperty('--weight', String(weight));
  return [make('b', {}, piece), make('span.number', {}, formatWeight(weight)), bar];
}
