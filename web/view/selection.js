// The shared selection. Every view reads it and writes it, so pointing at a place highlights it in all views.

/**
 * A row (query), a column (key) or, with both, a cell of the attention matrix in view.
 * @typedef {{query: number | null, key: number | null}} Place
 */

/** @param {Place | null} a @param {Place | null} b */
export const samePlace = (a, b) => a === b || (!!a && !!b && a.query === b.query && a.key === b.key);

/** Pointing shows a place temporarily; pinning keeps it. Dispatches `change` when `current` or `pinned` changes. */
export class Selection extends EventTarget {
  /** @type {Place | null} */
  #pointed = null;
  /** @type {Place | null} */
  #pinned = null;

  /** The highlighted place: the pointed one, or else the pinned one. */
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

  /** Pins a place; null: pins none. @param {Place | null} place */
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

/** Listens to a selection while an element is on the page, also after the selection was replaced. */
export class Following {
  /** @type {Selection | null} */
  #selection = null;
  #isOn = false;
  #heard;

  /** @param {() => void} heard called after each change */
  constructor(heard) {
    this.#heard = heard;
  }

  get selection() {
    return this.#selection;
  }
  set selection(selection) {
    this.#selection?.removeEventListener('change', this.#heard);
    this.#selection = selection;
    if (this.#isOn) selection?.addEventListener('change', this.#heard);
  }

  /**
   * Begins to listen. @returns {() => void} stops listening, so that a selection that lives longer does not keep the
   * element
   */
  start() {
    this.#isOn = true;
    this.#selection?.addEventListener('change', this.#heard);
    return () => {
      this.#isOn = false;
      this.#selection?.removeEventListener('change', this.#heard);
    };
  }
}
