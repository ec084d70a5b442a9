// A chart with a curve for each model over the steps. The name of a model is at the end of its curve.

import { make, svgMake } from '../shared/dom.js';

/** @typedef {{name: string, role: string, points: {x: number, y: number}[]}} Series `role`: the class of its colour */

const kMargin = { left: 46, right: 14, top: 10, bottom: 24 };
const kHeight = 190;
const kLabelRoom = 15; // the least distance between two labels
const kLetter = 7; // the width of a letter in a label, in pixels, roughly

/** Round numbers from 0 to a maximum. @param {number} most @param {number} about roughly how many */
export function ticksTo(most, about) {
  const rough = most / about;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= rough) ?? rough;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
}

export class Chart {
  node;
  #title;
  #say;
  #top;
  #svg;
  #width = 0;
  /** @type {Series[]} */
  #series = [];
  /** @type {number | null} */
  #mark = null;

  /** @param {{title: string, say: (y: number) => string, top?: number}} options `top`: the end of the axis; left out: the largest value */
  constructor({ title, say, top }) {
    this.#title = title;
    this.#say = say;
    this.#top = top;
    this.#svg = svgMake('svg', { class: 'curve', role: 'img', height: kHeight });
    this.node = make('figure.chart', {}, make('figcaption.label', {}, title), this.#svg);
    new ResizeObserver(() => {
      if (this.#svg.clientWidth === this.#width) return;
      this.#width = this.#svg.clientWidth;
      this.#draw();
    }).observe(this.#svg);
  }

  /** @param {Series[]} series @param {number | null} mark the step that is shown */
  show(series, mark) {
    this.#series = series;
    this.#mark = mark;
    this.#draw();
  }

  #draw() {
    if (this.#width === 0) return;
    // The scales, the axes, and the step that is shown.
    const { left, right, top, bottom } = kMargin;
    const all = this.#series.flatMap(({ points }) => points);
    const last = Math.max(100, ...all.map(({ x }) => x));
    const most = this.#top ?? Math.max(0.5, ...all.map(({ y }) => y));
    const atX = (/** @type {number} */ x) => left + (x / last) * (this.#width - left - right);
    const atY = (/** @type {number} */ y) => kHeight - bottom - (Math.min(y, most) / most) * (kHeight - top - bottom);
    const marks = [...this.#axes(atX, atY, last, most)];
    if (this.#mark !== null) {
      marks.push(
        svgMake('line', { class: 'mark', x1: atX(this.#mark), x2: atX(this.#mark), y1: top, y2: kHeight - bottom }),
      );
    }
    // The curves, with a dot at each end.
    for (const { role, points } of this.#series) {
      if (points.length === 0) continue;
      const d = points.map(({ x, y }, i) => `${i ? 'L' : 'M'}${atX(x).toFixed(1)} ${atY(y).toFixed(1)}`).join('');
      marks.push(svgMake('path', { class: `line ${role}`, d }));
      const end = points[points.length - 1];
      marks.push(svgMake('circle', { class: role, cx: atX(end.x), cy: atY(end.y), r: 3 }));
    }
    marks.push(...this.#labels(atX, atY));
    this.#svg.replaceChildren(...marks);
    this.#svg.setAttribute('aria-label', this.#summary());
  }

  /** @param {(x: number) => number} atX @param {(y: number) => number} atY @param {number} last @param {number} most */
  *#axes(atX, atY, last, most) {
    const { left, right } = kMargin;
    for (const y of ticksTo(most, 4)) {
      yield svgMake('line', { class: 'grid', x1: left, x2: this.#width - right, y1: atY(y), y2: atY(y) });
      yield svgMake('text', { class: 'tick', x: left - 6, y: atY(y) + 4, 'text-anchor': 'end' }, this.#say(y));
    }
    for (const x of ticksTo(last, this.#width < 400 ? 4 : 6)) {
      yield svgMake(
        'text',
        { class: 'tick', x: atX(x), y: kHeight - 6, 'text-anchor': 'middle' },
        x ? String(x) : 'step 0',
      );
    }
  }

  /** The names above the ends of the curves. Two names that are too close are moved apart. @param {(x: number) => number} atX @param {(y: number) => number} atY */
  #labels(atX, atY) {
    const floor = kHeight - kMargin.bottom - 4;
    const inside = (/** @type {number} */ y) => Math.min(Math.max(y, kMargin.top + 4), floor);
    const ends = this.#series.flatMap(({ name, role, points }) => {
      const end = points.at(-1);
      return end ? [{ name, role, x: atX(end.x), y: inside(atY(end.y) - 8), share: this.#say(end.y) }] : [];
    });
    const [upper, lower] = ends.toSorted((a, b) => a.y - b.y);
    if (lower && lower.y - upper.y < kLabelRoom) {
      const below = upper.y + kLabelRoom + 12; // below its line
      if (below <= floor) lower.y = below;
      else upper.y = lower.y - kLabelRoom;
    }
    return ends.map(({ name, role, x, y, share }) => {
      const isRight = x > this.#width / 2;
      const text = this.#series.length > 1 ? `${this.#fitting(name)}, ${share}` : share;
      const at = { x: isRight ? x + 4 : x - 4, y };
      return svgMake('text', { class: `label ${role}`, ...at, 'text-anchor': isRight ? 'end' : 'start' }, text);
    });
  }

  /** The beginning of a name that fits into half of the chart. @param {string} name */
  #fitting(name) {
    const most = this.#width / 2 / kLetter;
    const words = name.split(', ');
    while (words.length > 1 && words.join(', ').length > most) words.pop();
    return words.join(', ');
  }

  #summary() {
    const ends = this.#series.map(({ name, points }) => {
      const end = points.at(-1);
      return end ? `${name}: ${this.#say(end.y)} after ${end.x} steps` : `${name}: nothing yet`;
    });
    return `${this.#title}. ${ends.join('; ')}`;
  }
}
