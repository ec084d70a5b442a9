// The base class of the elements that draw attention.

import { onThemeChange } from './colour.js';
import { BaseElement } from './define.js';
import { measureIn } from './measure.js';
import { SelectionListener } from './selection.js';

/** @typedef {import('./selection.js').Selection} Selection */

/** An element that draws again when its data, its size or the theme changes, at most once in each frame. */
export class View extends BaseElement {
  // A pending drawing also draws the highlight. So does the drawing of an element that is shown again.
  #listener = new SelectionListener(() => {
    if (!this.#pending && !this.hidden) this.drawHighlight();
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
    this.#stops = [onThemeChange(redraw), () => resized.disconnect(), this.#listener.start()];
  }

  disconnectedCallback() {
    for (const stop of this.#stops) stop();
  }

  /** The shared selection of all views. @returns {Selection | null} */
  get selection() {
    return this.#listener.selection;
  }
  set selection(selection) {
    this.#listener.selection = selection;
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
      if (!this.hidden) this.draw(); // a hidden element is drawn when it is shown, because its size changes then
    });
  }

  #drawNow() {
    cancelAnimationFrame(this.#pending);
    this.#pending = 0;
    if (!this.hidden) this.draw();
  }

  /** Draws everything. @protected */
  draw() {}

  /** Draws the highlighted place. @protected */
  drawHighlight() {}

  /** The width of a label at a font size, in CSS pixels. @protected @returns {(text: string, size: number) => number} */
  measurer() {
    return measureIn(getComputedStyle(this).getPropertyValue('--mono'));
  }
}
