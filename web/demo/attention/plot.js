// A plot for the lessons, with two axes, lines, dots and bars. It is drawn again when the size of its element changes.

import { svgMake } from '../shared/dom.js';

/**
 * @typedef {object} Axis
 * @property {string} name
 * @property {number} from
 * @property {number} to
 * @property {number[]} ticks
 * @property {(value: number) => string} [say]
 * @property {boolean} [isLog]
 */

const kMargin = { left: 46, right: 16, top: 26, bottom: 36 };

export class Plot {
  /** @type {(() => void) | null} */
  #draw = null;

  /** @param {{x: Axis, y: Axis, height?: number}} axes */
  constructor({ x, y, height = 260 }) {
    this.x = x;
    this.y = y;
    this.height = height;
    this.width = 640;
    this.node = svgMake('svg', { class: 'plot', role: 'img', height });
    new ResizeObserver(() => {
      const width = this.node.clientWidth;
      if (width === 0 || width === this.width) return;
      this.width = width;
      this.#draw?.();
    }).observe(this.node);
  }

  /** @param {number} value */
  atX(value) {
    const { left, right } = kMargin;
    return left + share(this.x, value) * (this.width - left - right);
  }

  /** @param {number} value */
  atY(value) {
    const { top, bottom } = kMargin;
    return this.height - bottom - share(this.y, value) * (this.height - top - bottom);
  }

  /** The values of both axes under the pointer. @param {MouseEvent} event @returns {[number, number]} */
  valuesAt(event) {
    const box = this.node.getBoundingClientRect();
    const { left, right, top, bottom } = kMargin;
    const across = (event.clientX - box.left - left) / (this.width - left - right);
    const up = (this.height - bottom - (event.clientY - box.top)) / (this.height - top - bottom);
    return [this.x.from + across * (this.x.to - this.x.from), this.y.from + up * (this.y.to - this.y.from)];
  }

  /**
   * Draws now, and again when the size of the plot changes.
   * @param {string} summary a sentence
   * @param {() => SVGElement[]} marks
   */
  show(summary, marks) {
    this.node.setAttribute('aria-label', summary);
    this.#draw = () => this.node.replaceChildren(...this.#axes(), ...marks());
    this.#draw();
  }

  #axes() {
    const { x, y } = this;
    const [bottom, left] = [this.height - kMargin.bottom, kMargin.left];
    const say = (/** @type {Axis} */ axis, /** @type {number} */ tick) => (axis.say ?? String)(tick).replace('-', '−');
    // Horizontal lines with numbers, the numbers below, and the names of the axes.
    return [
      ...y.ticks.flatMap((tick) => [
        svgMake('line', {
          class: 'rule',
          x1: left,
          x2: this.width - kMargin.right,
          y1: this.atY(tick),
          y2: this.atY(tick),
        }),
        svgMake('text', { x: left - 6, y: this.atY(tick) + 4, 'text-anchor': 'end' }, say(y, tick)),
      ]),
      ...x.ticks.map((tick) =>
        svgMake('text', { x: this.atX(tick), y: bottom + 16, 'text-anchor': 'middle' }, say(x, tick)),
      ),
      svgMake(
        'text',
        { class: 'name', x: this.width - kMargin.right, y: this.height - 3, 'text-anchor': 'end' },
        x.name,
      ),
      svgMake('text', { class: 'name', x: 2, y: 10 }, y.name),
    ];
  }

  /** @param {[number, number][]} points @param {string} name its class */
  line(points, name) {
    const d = points.map(([x, y], i) => `${i ? 'L' : 'M'}${this.atX(x).toFixed(1)} ${this.atY(y).toFixed(1)}`).join('');
    return svgMake('path', { class: `line ${name}`, d });
  }

  /** @param {number} x @param {number} y @param {string} name @param {number} [r] */
  dot(x, y, name, r = 5) {
    return svgMake('circle', { class: `dot ${name}`, cx: this.atX(x), cy: this.atY(y), r });
  }

  /** @param {number} x @param {number} y @param {string} text @param {string} name @param {Record<string, string | number>} [more] */
  text(x, y, text, name, more = {}) {
    return svgMake('text', { class: name, x: this.atX(x), y: this.atY(y), ...more }, text);
  }
}

/** @param {Axis} axis @param {number} value */
const share = ({ from, to, isLog }, value) =>
  isLog ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
