// A list of names, each with a bar and a number. If they can be picked, each is a button.

import { formatNumber } from '../../view/numbers.js';
import { make } from './dom.js';

/**
 * @typedef {object} Bar
 * @property {string} name
 * @property {number} value 0..1, the length of the bar
 * @property {string} [role] the bar's colour
 * @property {string} [note] the number as text
 * @property {boolean} [cut] whether sampling never draws it
 * @property {string} [action] what its button does
 * @property {boolean} [fixed] whether it cannot be picked
 */

/** @param {string} label @param {((index: number) => void) | null} [pick] */
export function bars(label, pick = null) {
  const node = make('ul.bars', { 'aria-label': label });
  const row = () => {
    // The space and the hidden words are for screen readers.
    const parts = [make('span.name'), ' ', make('span.bar'), make('span.number')];
    if (!pick) return make('li', {}, ...parts);
    const button = make('button', { type: 'button' }, ...parts, make('span.qkv-hidden'));
    button.addEventListener('click', () => pick([...node.children].indexOf(button.parentElement)));
    return make('li', {}, button);
  };
  /** @param {Bar[]} list */
  function show(list) {
    while (node.children.length > list.length) node.lastChild.remove();
    while (node.children.length < list.length) node.append(row());
    list.forEach(({ name, value, role = 'weights', note, cut = false, action = '', fixed = false }, i) => {
      const item = node.children[i];
      const [named, bar, number, does] = (pick ? item.firstChild : item).children;
      named.textContent = name;
      bar.style.setProperty('--share', String(Math.max(0, Math.min(1, value))));
      bar.dataset.role = role;
      number.textContent = note ?? formatNumber(value, 'weight');
      item.classList.toggle('cut', cut);
      if (!pick) return;
      item.firstChild.disabled = fixed;
      does.textContent = action && `, ${action}`;
    });
  }
  return { node, show };
}
