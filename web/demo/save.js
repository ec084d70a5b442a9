// Save menus: pictures of what is in view, and data. Everything is made here and handed to the reader.

import { figureSvg, lookOf, toBertviz } from '../view/index.js';

/** @typedef {import('../view/figure.js').Figure} Figure */
/** @typedef {import('../view/trace.js').Trace} Trace */
/** @typedef {Blob | null | Promise<Blob>} Made null: there is nothing to save */

/**
 * A file that a menu offers.
 * @typedef {object} File
 * @property {string} name
 * @property {(white: boolean) => Made} make white: a picture on white, whatever the theme
 */

const kLargestSide = 8192;

/**
 * What may be saved of the attention in view.
 * @param {() => {figure: Figure, trace: Trace} | null} inView
 * @returns {Record<string, File>}
 */
export function attentionFiles(inView) {
  /** @param {(shown: {figure: Figure, trace: Trace}, white: boolean) => Made} make @returns {File['make']} */
  const of = (make) => (white) => {
    const shown = inView();
    return shown && make(shown, white);
  };
  const picture = (/** @type {{figure: Figure}} */ { figure }, /** @type {boolean} */ white) =>
    figureSvg(figure, lookOf(white));
  return {
    svg: { name: 'attention.svg', make: of((shown, white) => svg(picture(shown, white))) },
    png: { name: 'attention.png', make: of((shown, white) => toPng(picture(shown, white))) },
    json: { name: 'trace.json', make: of(({ trace }) => json(trace)) },
    bertviz: { name: 'bertviz.json', make: of(({ trace }) => json(toBertviz(trace))) },
  };
}

/**
 * @param {HTMLDetailsElement} menu
 * @param {Record<string, File>} files by the value of the button that saves them
 */
export function bindSave(menu, files) {
  const white = /** @type {HTMLInputElement} */ (menu.querySelector('[name=white]'));
  for (const [value, { name, make }] of Object.entries(files)) {
    menu.querySelector(`[value=${value}]`)?.addEventListener('click', async () => {
      const blob = await make(white.checked);
      if (blob) hand(blob, name);
    });
  }
  bindMenu(menu);
}

/** Escape and a press elsewhere close the menu. @param {HTMLDetailsElement} menu */
function bindMenu(menu) {
  const close = () => (menu.open = false);
  document.addEventListener('pointerdown', (event) => {
    if (!menu.contains(/** @type {Node} */ (event.target))) close();
  });
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu.open) return;
    event.stopPropagation();
    close();
    menu.querySelector('summary')?.focus();
  });
  menu.addEventListener('focusout', (event) => {
    if (event.relatedTarget && !menu.contains(/** @type {Node} */ (event.relatedTarget))) close();
  });
}

/** @param {unknown} value */
export const json = (value) => new Blob([JSON.stringify(value, asArray)], { type: 'application/json' });

/** @param {string} _ @param {unknown} value */
const asArray = (_, value) => (value instanceof Float32Array ? Array.from(value) : value);

/** @param {string} text */
export const svg = (text) => new Blob([text], { type: 'image/svg+xml' });

/** @param {Blob} blob @param {string} name */
function hand(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `qkv-${name}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Two pixels to a CSS pixel, as far as canvases go. @param {string} text of an SVG @returns {Promise<Blob>} */
export async function toPng(text) {
  const url = URL.createObjectURL(svg(text));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    const zoom = Math.min(2, kLargestSide / Math.max(image.width, image.height));
    canvas.width = Math.round(image.width * zoom);
    canvas.height = Math.round(image.height * zoom);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, failed) =>
      canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('the picture is too large')))),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
