// One shared model of what is pointed at. Every view reads it and writes it, so one gesture lights the same thing everywhere.

/**
 * A row (query), a column (key) or, with both, a cell of the attention matrix in view.
 * @typedef {{query: number | null, key: number | null}} Place
 */

/** @param {Place | null} a @param {Place | null} b */
export const samePlace = (a, b) => a === b || (!!a && !!b && a.query === b.query && a.key === b.key);

/** Pointing shows a place while it lasts; pinning keeps it. Dispatches `change` whenever `current` or `pinned` does. */
export class Selection extends EventTarget {
  /** @type {Place | null} */
  #pointed = null;
  /** @type {Place | null} */
  #pinned = null;

  /** What is lit now: the pointed place, else the pinned one. */
  get current() {
    return this.#pointed ?? this.#pinned;
  }

  get pinned() {
    return this.#pinned;
  }

  /** @param {Place | null} place null: nothing is pointed at any more */
  point(place) {
    if (samePlace(place, this.#pointed)) return;
    this.#pointed = place;
    this.#changed();
  }

  /**
   * Pins a place, or frees it if it is the pinned one.
   * @param {Place} place
   */
  toggle(place) {
    const free = samePlace(place, this.#pinned);
    this.#pinned = free ? null : place;
    if (free) this.#pointed = null;
    this.#changed();
  }

  /** Nothing is pointed at or pinned any more. */
  clear() {
    if (!this.#pointed && !this.#pinned) return;
    this.#pointed = this.#pinned = null;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}
