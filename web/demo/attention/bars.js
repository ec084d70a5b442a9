// Names with a bar and a number each.

import { formatNumber } from '../../view/numbers.js';
import { make } from './dom.js';

/** @typedef {{name: string, value: number, role?: string, note?: string}} Bar value: 0..1, what the bar shows */

/** @param {string} label */
export function bars(label) {
  const node = make('ul.bars', { 'aria-label': label });
  /** @param {Bar[]} list */
  function show(list) {
    while (node.children.length > list.length) node.lastChild.remove();
    while (node.children.length < list.length)
      node.append(make('li', {}, make('span.name'), make('span.bar'), make('span.number')));
    list.forEach(({ name, value, role = 'weights', note }, i) => {
      const [named, bar, number] = node.children[i].children;
      named.textContent = name;
      bar.style.setProperty('--share', String(Math.max(0, Math.min(1, value))));
      bar.dataset.role = role;
      number.textContent = note ?? formatNumber(value, 'weight');
    });
  }
  return { node, show };
}
