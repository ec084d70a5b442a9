// Draws small pictures of attention matrices. Each picture has its own canvas.

import { weightScale } from './colour.js';
import { isMasked } from './trace.js';

/** @typedef {import('./trace.js').Slice} Slice */
/**
 * @typedef {object} Thumbnail
 * @property {HTMLCanvasElement} canvas a square, as wide as its style says
 * @property {Slice} slice
 * @property {(query: number, key: number) => number} shown the value of a cell for its colour, 0..1
 */

const kNarrowest = 0.4; // the smallest width or height of a picture, as a share of its longer side

/**
 * Draws all pictures. It first reads the widths of all canvases. If it drew in between, the browser would have to compute the
 * layout again before it could tell the next width.
 * @param {Thumbnail[]} thumbnails
 */
export function drawThumbnails(thumbnails) {
  const sides = thumbnails.map(({ canvas }) => Math.round(canvas.clientWidth * devicePixelRatio));
  thumbnails.forEach((thumbnail, i) => sides[i] > 0 && draw(thumbnail, sides[i]));
}

/**
 * Each device pixel shows the largest of the weights that it covers: a single large weight stays visible.
 * @param {Thumbnail} thumbnail
 * @param {number} side of the canvas, in device pixels
 */
function draw({ canvas, slice, shown }, side) {
  const [rows, columns] = [slice.queries.length, slice.keys.length];
  const longest = Math.max(rows, columns);
  const [width, height] = [columns, rows].map((n) => Math.round(Math.max(n / longest, kNarrowest) * side));
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const scale = weightScale();
  const across = spans(width, columns);
  // A row of cells is several pixels high. Only its first row of pixels is computed. The rows below are copies of it.
  for (const { first, last, from, to } of spans(height, rows)) {
    for (const { first: left, last: right, from: k0, to: k1 } of across) {
      let peak = -1;
      for (let q = from; q < to; ++q) {
        for (let k = k0; k < k1; ++k) if (!isMasked(slice, q, k)) peak = Math.max(peak, shown(q, k));
      }
      if (peak >= 0) pixels.fill(pixelOf(scale.rgb(peak)), first * width + left, first * width + right);
    }
    for (let y = first + 1; y < last; ++y) pixels.copyWithin(y * width, first * width, (first + 1) * width);
  }
  canvas.width = canvas.height = side;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.putImageData(image, Math.floor((side - width) / 2), Math.floor((side - height) / 2));
}

/** An opaque colour as the four bytes of a pixel. @param {number[]} rgb */
const pixelOf = (rgb) => new Uint32Array(new Uint8Array([...rgb, 255]).buffer)[0];

/**
 * Runs of pixels that cover the same cells. All ranges are half-open.
 * @param {number} pixels
 * @param {number} cells
 * @returns {{first: number, last: number, from: number, to: number}[]} pixels `first` to `last` cover cells `from` to `to`
 */
function spans(pixels, cells) {
  /** @type {{first: number, last: number, from: number, to: number}[]} */
  const found = [];
  for (let pixel = 0; pixel < pixels; ++pixel) {
    const from = Math.floor((pixel * cells) / pixels);
    const to = Math.max(from + 1, Math.floor(((pixel + 1) * cells) / pixels));
    const before = found.at(-1);
    if (before?.from === from && before.to === to) before.last = pixel + 1;
    else found.push({ first: pixel, last: pixel + 1, from, to });
  }
  return found;
}
