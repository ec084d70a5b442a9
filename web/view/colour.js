// Colours for attention weights. They are interpolated in OKLab: equal steps of weight look equal.
// OKLab is Björn Ottosson's, https://bottosson.github.io/posts/oklab/ (2020).

import { rgb } from 'd3-color';

/** @typedef {[number, number, number]} Triple */

const kTokens = ['--weight-0', '--weight-1', '--weight-2'];
const kSigned = ['--signed-minus', '--weight-0', '--signed-plus'];
const kSteps = 256;

/** @param {number} c one sRGB channel, 0..1 */
const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
/** @param {number} c one linear channel, 0..1 */
const gamma = (c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);

/**
 * @param {string} css any colour d3-color can read
 * @returns {Triple} lightness 0..1, a, b
 */
export function toOklab(css) {
  const { r, g, b } = rgb(css);
  const [lr, lg, lb] = [linear(r / 255), linear(g / 255), linear(b / 255)];
  const l = Math.cbrt(0.4122214708 * lr + 0.5363325363 * lg + 0.0514459929 * lb);
  const m = Math.cbrt(0.2119034982 * lr + 0.6806995451 * lg + 0.1073969566 * lb);
  const s = Math.cbrt(0.0883024619 * lr + 0.2817188376 * lg + 0.6299787005 * lb);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/**
 * @param {Triple} lab
 * @returns {Triple} sRGB, 0..255, clipped to the gamut
 */
export function fromOklab([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const [red, green, blue] = channels.map((c) => Math.round(255 * gamma(Math.min(1, Math.max(0, c)))));
  return [red, green, blue];
}

const mix = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ t) => from + t * (to - from);

/** @param {Triple} p @param {Triple} q */
const distance = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);

/**
 * A sequential scale through the given colours. Equal steps of weight are equal distances in OKLab, also if the colours have
 * different distances.
 */
export class WeightScale {
  /** @param {string[]} colours from weight 0 to weight 1, two or more */
  constructor(colours) {
    const stops = colours.map(toOklab);
    const lengths = stops.slice(1).map((stop, i) => distance(stops[i], stop));
    const total = lengths.reduce((sum, length) => sum + length, 0);
    /** @type {Triple[]} */
    this.table = Array.from({ length: kSteps }, (_, step) => {
      let rest = (step / (kSteps - 1)) * total;
      let i = 0;
      while (i < lengths.length - 1 && rest > lengths[i]) rest -= lengths[i++];
      const t = lengths[i] > 0 ? Math.min(1, rest / lengths[i]) : 0;
      const [from, to] = [stops[i], stops[i + 1]];
      return fromOklab([mix(from[0], to[0], t), mix(from[1], to[1], t), mix(from[2], to[2], t)]);
    });
  }

  /**
   * @param {number} weight 0..1; values outside are clipped
   * @returns {Triple} sRGB, 0..255
   */
  rgb(weight) {
    return this.table[Math.round(Math.min(1, Math.max(0, weight)) * (kSteps - 1))];
  }

  /** @param {number} weight 0..1 */
  css(weight) {
    return `rgb(${this.rgb(weight).join(', ')})`;
  }

  /**
   * Black or white: the one with more contrast on the weight's colour, at least 4.5:1.
   * @param {number} weight 0..1
   */
  ink(weight) {
    const [r, g, b] = this.rgb(weight).map((c) => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff';
  }
}

/** A diverging scale: 0 has the background's colour, and negative values have their own colour. */
export class SignedScale {
  /** @param {string} minus the colour of -1 @param {string} zero @param {string} plus the colour of 1 */
  constructor(minus, zero, plus) {
    this.below = new WeightScale([zero, minus]);
    this.above = new WeightScale([zero, plus]);
  }

  /** @param {number} share -1..1 */
  css(share) {
    return this.#side(share).css(Math.abs(share));
  }

  /** @param {number} share -1..1 @returns {Triple} sRGB, 0..255 */
  rgb(share) {
    return this.#side(share).rgb(Math.abs(share));
  }

  /** Black or white. @param {number} share -1..1 */
  ink(share) {
    return this.#side(share).ink(Math.abs(share));
  }

  /** @param {number} share */
  #side(share) {
    return share < 0 ? this.below : this.above;
  }
}

/** @type {WeightScale | null} */
let current = null;
/** @type {SignedScale | null} */
let signed = null;
/** @type {Set<(isNow: boolean) => void>} */
const listeners = new Set();

/** Whether the page is being printed. Paper is white, whatever the theme. */
let isPrinting = false;

/** Colours of tokens.css: those of the page's theme, or those for a white ground. @param {string[]} names */
function coloursOf(names) {
  const probe = document.createElement('div');
  probe.hidden = true;
  if (isPrinting) probe.className = 'qkv-white';
  document.documentElement.append(probe);
  const style = getComputedStyle(probe);
  const colours = names.map((name) => style.getPropertyValue(name));
  probe.remove();
  return colours;
}

/** The scale of the page's theme. */
export function weightScale() {
  if (!current) {
    current = new WeightScale(coloursOf(kTokens));
    watchTheme();
  }
  return current;
}

/** The scale of signed numbers in the page's theme. */
export function signedScale() {
  if (!signed) {
    const [minus, zero, plus] = coloursOf(kSigned);
    signed = new SignedScale(minus, zero, plus);
    watchTheme();
  }
  return signed;
}

/** The scale of an attention's colours. @param {{signed?: boolean}} slice */
export const scaleOf = ({ signed: hasSigns }) => (hasSigns ? signedScale() : weightScale());

/**
 * Calls back whenever the page's theme changes, and before and after the page is printed.
 * @param {(isNow: boolean) => void} listener `isNow`: the page is printed at once, so what is not drawn now is not on paper
 * @returns {() => void} stops it
 */
export function onThemeChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let watching = false;

function watchTheme() {
  if (watching) return;
  watching = true;
  const changed = (isNow = false) => {
    current = signed = null;
    for (const listener of listeners) listener(isNow);
  };
  for (const media of ['(prefers-color-scheme: dark)', 'print'])
    matchMedia(media).addEventListener('change', () => changed());
  new MutationObserver(() => changed()).observe(document.documentElement, {
    attributeFilter: ['class', 'style', 'data-theme'],
  });
  const print = (/** @type {boolean} */ is) => {
    isPrinting = is;
    changed(is);
  };
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
}
