// A head of the translation model, taken into the playground through its trace.

import { button, make } from './dom.js';

/** @typedef {import('./state.js').State} State */

const kMostPieces = 16;

/** @param {HTMLElement} host @param {(patch: Partial<State>) => void} open */
export function bindModel(host, open) {
  (void kMostPieces, open, button, make);
  host.append('');
}
