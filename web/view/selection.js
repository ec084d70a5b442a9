// The shared selection. Every view reads and writes it. So pointing at a place in one view highlights it in all views.

/**
 * A row (query), a column (key) or, with both, a cell of the attention matrix in view.
 * @typedef {{query: number | null, key: number | null}} Place
 */

/** @param {Place | null} a @param {Place | null} b */
export const samePlace = (a, b) => a === b || (!!a && !!b && a.query === b.query && a.key === b.key);

/** A pointed place is highlighted temporarily, a pinned one permanently. Dispatches `change` when one of them changes. */
export class Selection extends EventTarget {
  /** @type {Place | null} */
  #pointed = null;
  /** @type {Place | null} */
  #pinned = null;

  /** The highlighted place: the pointed one, otherwise the pinned one. */
  get current() {
    return this.#pointed ?? this.#pinned;
  }

  get pinned() {
    return this.#pinned;
  }

  /** @param {Place | null} place null: nothing is pointed at */
  point(place) {
    if (samePlace(place, this.#pointed)) return;
    this.#pointed = place;
    this.#changed();
  }

  /**
   * Pins a place, or unpins it if it is the pinned one.
   * @param {Place} place
   */
  toggle(place) {
    const free = samePlace(place, this.#pinned);
    this.#pinned = free ? null : place;
    if (free) this.#pointed = null;
    this.#changed();
  }

  /** Pins a place; null: unpins. @param {Place | null} place */
  pin(place) {
    if (samePlace(place, this.#pinned) && !this.#pointed) return;
    this.#pinned = place;
    this.#pointed = null;
    this.#changed();
  }

  /** Clears both places. */
  clear() {
    if (!this.#pointed && !this.#pinned) return;
    this.#pointed = this.#pinned = null;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

/** Listens to the selection of an element while the element is on the page. The selection may be replaced. */
export class SelectionListener {
  /** @type {Selection | null} */
  #selection = null;
  #isOn = false;
  #onChange;

  /** @param {() => void} onChange called after each change */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  get selection() {
    return this.#selection;
  }
  set selection(selection) {
    this.#selection?.removeEventListener('change', this.#onChange);
    this.#selection = selection;
    if (this.#isOn) selection?.addEventListener('change', this.#onChange);
  }

  /**
   * Starts to listen.
   * @returns {() => void} stops listening; otherwise a selection that lives longer would keep the element in memory
   */
  start() {
    this.#isOn = true;
    this.#selection?.addEventListener('change', this.#onChange);
    return () => {
      this.#isOn = false;
      this.#selection?.removeEventListener('change', this.#onChange);
    };
  }
}
