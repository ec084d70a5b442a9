// Shared by the elements that draw attention.

import { onThemeChange } from './colour.js';
import { BaseElement } from './define.js';
import { measureIn } from './measure.js';
import { Following } from './selection.js';

/** @typedef {import('./selection.js').Selection} Selection */

/** Draws again when its data, its size or the theme changes, at most once a frame. */
export class View extends BaseElement {
  // A pending drawing highlights the place itself, also when it is shown again.
  #following = new Following(() => {
    if (!this.#pending && !this.hidden) this.drawLight();
  });
  /** @type {'absolute' | 'row'} */
  #scaling = 'absolute';
  #pending = 0;
  /** @type {(() => void)[]} */
  #stops = [];

  connectedCallback() {
    const resized = new ResizeObserver(() => this.schedule());
    resized.observe(this.scroller);
    const redraw = (/** @type {boolean} */ isNow) => (isNow ? this.#drawNow() : this.schedule());
    this.#stops = [onThemeChange(redraw), () => resized.disconnect(), this.#following.start()];
  }

  disconnectedCallback() {
    for (const stop of this.#stops) stop();
  }

  /** The shared selection of all views. @returns {Selection | null} */
  get selection() {
    return this.#following.selection;
  }
  set selection(selection) {
    this.#following.selection = selection;
  }

  /** Whether colours show the weight itself, or its share of the row's largest. */
  get scaling() {
    return this.#scaling;
  }
  set scaling(scaling) {
    this.#scaling = scaling;
    this.schedule();
  }

  /** The element whose size the drawing fits. @protected @returns {HTMLElement} */
  get scroller() {
    return this;
  }

  /** @protected */
  schedule() {
    if (this.#pending || !this.isConnected) return;
    this.#pending = requestAnimationFrame(() => {
      this.#pending = 0;
      if (!this.hidden) this.draw(); // a hidden element is drawn when it is shown, because the resize is noticed
    });
  }

  #drawNow() {
    cancelAnimationFrame(this.#pending);
    this.#pending = 0;
    if (!this.hidden) this.draw();
  }

  /** Everything. @protected */
  draw() {}

  /** Draws the highlighted place. @protected */
  drawLight() {}

  /** The width of a label at a font size, in CSS pixels. @protected @returns {(text: string, size: number) => number} */
  measurer() {
    return measureIn(getComputedStyle(this).getPropertyValue('--mono'));
  }
}
