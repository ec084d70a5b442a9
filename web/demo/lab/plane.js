// A picture of a source that consists of points in the plane: the points, the right polygon, and the polygon that was written.

import { svgMake } from '../shared/dom.js';

const kSide = 240;
const kMargin = 14;

/** @param {string} text "12,34 56,78" @returns {[number, number][]} */
const placesOf = (text) =>
  text.split(' ').flatMap((word) => {
    const [x, y] = word.split(',').map(Number);
    return Number.isFinite(x) && Number.isFinite(y) ? [/** @type {[number, number]} */ ([x, y])] : [];
  });

/** Whether the words of a source are points in the plane. @param {string} source */
export const isPlane = (source) => source.split(' ').every((word) => /^\d+,\d+$/.test(word));

export class Plane {
  node = svgMake('svg', { class: 'plane', role: 'img', viewBox: `0 0 ${kSide} ${kSide}` });

  /** @param {string} source @param {string} wanted @param {string} written */
  show(source, wanted, written) {
    const at = (/** @type {number} */ x) => kMargin + (x / 100) * (kSide - 2 * kMargin);
    const spot = (/** @type {[number, number]} */ [x, y]) => [at(x), kSide - at(y)];
    const corners = (/** @type {string} */ text) =>
      placesOf(text)
        .map((place) => spot(place).join(','))
        .join(' ');
    const dots = placesOf(source).map((place, i) => {
      const [cx, cy] = spot(place);
      return svgMake('circle', { cx, cy, r: 3.5 }, svgMake('title', {}, `${i + 1}: ${place.join(', ')}`));
    });
    const steps = placesOf(written).map((place, i) => {
      const [x, y] = spot(place);
      return svgMake('text', { x: x + 6, y: y - 5 }, String(i + 1));
    });
    this.node.replaceChildren(
      svgMake('polygon', { class: 'wanted', points: corners(wanted) }),
      svgMake('polygon', { class: 'written', points: corners(written) }),
      ...dots,
      ...steps,
    );
    const right = written === wanted ? 'right' : `the hull is ${wanted}`;
    this.node.setAttribute(
      'aria-label',
      `${placesOf(source).length} points; written: ${written || 'nothing'}, ${right}`,
    );
  }
}
