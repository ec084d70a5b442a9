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

/** Hears the changes of a selection while an element is on the page, and of the one that takes its place. */
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

  /** Begins to listen. @returns {() => void} ends it: a selection that outlives the element does not hold it */
  start() {
    this.#isOn = true;
    this.#selection?.addEventListener('change', this.#heard);
    return () => {
      this.#isOn = false;
      this.#selection?.removeEventListener('change', this.#heard);
    };
  }
}
