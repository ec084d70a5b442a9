// A focusable drawing of one head's attention: shared by <qkv-matrix> and <qkv-lines>.

import { View } from './view.js';
import { inside } from './arrow-keys.js';

/** @typedef {import('./selection.js').Place} Place */
/** @typedef {import('./trace.js').Slice} Slice */

/** Keys move the highlighted place, Enter pins it, Escape unpins it. The place is that of the shared selection. */
export class Drawing extends View {
  /** @type {Slice | null} */
  #slice = null;
  /** @type {Place} */
  #cursor = { query: 0, key: null };

  /** The attention to show; null shows none. */
  get slice() {
    return this.#slice;
  }
  set slice(slice) {
    this.#slice = slice;
    this.schedule();
  }

  /** The highlighted place, if this attention has it. @protected @returns {Place | null} */
  get highlighted() {
    const current = this.selection?.current ?? null;
    return this.#slice && current && inside(this.#slice, current) ? current : null;
  }

  /**
   * The place under a pointer. @protected
   * @param {MouseEvent} _event
   * @returns {Place | null}
   */
  placeAt(_event) {
    return null;
  }

  /**
   * The place that a key moves to. @protected
   * @param {Slice} _slice
   * @param {Place} _place
   * @param {KeyboardEvent} _event
   * @returns {Place | null} null if the key does not move
   */
  placeAfter(_slice, _place, _event) {
    return null;
  }

  /** @protected @param {Element} surface gets the pointer's events @param {string} description for screen readers */
  listen(surface, description) {
    this.tabIndex = 0;
    this.setAttribute('role', 'application');
    this.setAttribute('aria-roledescription', description);
    const at = (/** @type {Event} */ event) => this.placeAt(/** @type {MouseEvent} */ (event));
    surface.addEventListener('pointermove', (event) => this.selection?.point(at(event)));
    surface.addEventListener('pointerleave', () => this.selection?.point(null));
    surface.addEventListener('click', (event) => {
      const place = at(event);
      if (place) this.selection?.toggle(place);
    });
    this.addEventListener('keydown', (event) => this.#key(event));
    this.addEventListener('focus', () => {
      if (this.matches(':focus-visible') && this.#slice) this.selection?.point(this.selection.pinned ?? this.#cursor);
    });
    this.addEventListener('blur', () => this.selection?.point(null));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const [slice, selection] = [this.#slice, this.selection];
    if (!slice || !selection) return;
    const current = selection.current ?? this.#cursor;
    const place = inside(slice, current) ? current : { query: 0, key: null };
    if (event.key === 'Enter' || event.key === ' ') selection.toggle(place);
    else if (event.key === 'Escape') selection.clear();
    else {
      const next = this.placeAfter(slice, place, event);
      if (!next) return;
      this.#cursor = next;
      selection.point(next);
    }
    event.preventDefault();
  }
}
