// A pane with a translation that is compared with another one: its text, its pieces and one matrix. The cells of both matrices
// have one size.

import { Selection, formatWeight, sliceOf } from '../../view/index.js';
import { make } from '../shared/dom.js';

/** @typedef {import('../../view/trace.js').Slice} Slice */
/** @typedef {import('../../lib/index.js').Trace} Trace */
/** @typedef {{kind: import('../../view/trace.js').Kind, layer: number, head: number}} Which */

export class Pane {
  selection = new Selection();
  /** @type {Slice | null} */
  slice = null;
  #text;
  #facts;
  #pieces;
  #matrix;
  #none;

  /** @param {Node} heading @param {string} name for screen readers */
  constructor(heading, name) {
    this.#text = make('output.running', { 'aria-label': `${name}: translation`, lang: 'fr' });
    this.#facts = make('p.facts');
    this.#pieces = /** @type {import('../../view/pieces.js').PiecesElement} */ (
      make('qkv-pieces', { side: 'target', 'aria-label': `${name}: pieces` })
    );
    this.#matrix = /** @type {import('../../view/matrix.js').MatrixElement} */ (make('qkv-matrix'));
    this.#none = make('p.none', { hidden: true });
    this.#pieces.selection = this.#matrix.selection = this.selection;
    this.node = make('div.pane', {}, heading, this.#text, this.#facts, this.#pieces, this.#matrix, this.#none);
  }

  /** @param {boolean} working */
  busy(working) {
    this.#text.setAttribute('aria-busy', String(working));
  }

  /**
   * @param {Trace | null} trace
   * @param {Which} which matrix is shown
   * @param {(text: string) => (Node | string)[]} [written] makes the nodes of the text
   */
  show(trace, which, written = (text) => [text]) {
    this.selection.clear();
    this.slice = trace && sliceOf(trace, which);
    this.#text.replaceChildren(...(trace ? written(trace.target.text) : []));
    this.#facts.textContent = trace ? factsOf(trace) : '';
    this.#pieces.show(trace?.target ?? null);
    this.#matrix.slice = this.#pieces.slice = this.slice;
    this.#matrix.hidden = trace !== null && this.slice === null;
    this.#none.hidden = !this.#matrix.hidden;
    this.#none.textContent = 'This model has no attention to draw. The decoder got the whole sentence as one vector.';
    this.busy(false);
  }

  /** @param {string} message in the place of a translation */
  say(message) {
    this.#text.textContent = message;
  }

  /** @param {Slice[]} slices */
  set beside(slices) {
    this.#matrix.beside = slices;
  }
}

/** @param {Trace} trace */
function factsOf({ target, score }) {
  const probability = Math.exp(score / target.pieces.length);
  return `probability of a piece, on average: ${formatWeight(probability)}`; // the geometric mean
}

/** Gives the cells of all matrices one size. @param {Pane[]} panes */
export function align(panes) {
  const slices = panes.flatMap(({ slice }) => slice ?? []);
  for (const pane of panes) pane.beside = slices.filter((slice) => slice !== pane.slice);
}

/** Selects in each of two panes the source piece that is selected in the other. @param {Pane} a @param {Pane} b */
export function shareSelection(a, b) {
  let isSharing = false; // else each change would answer the other
  for (const [from, to] of [
    [a, b],
    [b, a],
  ]) {
    from.selection.addEventListener('change', () => {
      if (isSharing || !to.slice) return;
      isSharing = true;
      const key = from.selection.current?.key ?? null;
      to.selection.point(key === null || key >= to.slice.keys.length ? null : { query: null, key });
      isSharing = false;
    });
  }
}
