// A row of words or pieces, each with a label.

import { make } from '../shared/dom.js';

/** @typedef {{text: string, label: string, score: number}} Tagged */

export function tagRow() {
  const node = make('ul.tags');
  /** @param {Tagged[]} list */
  function show(list) {
    node.replaceChildren(
      ...list.map(({ text, label, score }) =>
        make(
          'li',
          { 'data-label': label, title: `${label}, ${score.toFixed(2)}` },
          make('b', {}, text),
          make('small', {}, label),
        ),
      ),
    );
  }
  return { node, show };
}
