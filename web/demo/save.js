// The Save menu: what is in view as a picture, and the trace as data. Everything is made here and handed to the reader.

import { figureSvg, lookOf, toBertviz } from '../view/index.js';

/** @typedef {import('../view/figure.js').Figure} Figure */
/** @typedef {import('../view/trace.js').Trace} Trace */

const kLargestSide = 8192;

/**
 * @param {HTMLDetailsElement} menu
 * @param {() => {figure: Figure, trace: Trace} | null} inView null: there is nothing to save
 */
export function bindSave(menu, inView) {
  const find = (/** @type {string} */ query) => /** @type {any} */ (menu.querySelector(query));
  const picture = (/** @type {Figure} */ figure) => figureSvg(figure, lookOf(find('#white').checked));
  /** @type {Record<string, (shown: {figure: Figure, trace: Trace}) => Blob | Promise<Blob>>} */
  const makers = {
    svg: ({ figure }) => new Blob([picture(figure)], { type: 'image/svg+xml' }),
    png: ({ figure }) => toPng(picture(figure)),
    json: ({ trace }) => json(trace),
    bertviz: ({ trace }) => json(toBertviz(trace)),
  };
  const names = { svg: 'attention.svg', png: 'attention.png', json: 'trace.json', bertviz: 'bertviz.json' };
  for (const [kind, make] of Object.entries(makers)) {
    find(`[value=${kind}]`).addEventListener('click', async () => {
      const shown = inView();
      if (shown) hand(await make(shown), names[/** @type {keyof typeof names} */ (kind)]);
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
const json = (value) => new Blob([JSON.stringify(value, asArray)], { type: 'application/json' });

/** @param {string} _ @param {unknown} value */
const asArray = (_, value) => (value instanceof Float32Array ? Array.from(value) : value);

/** @param {Blob} blob @param {string} name */
function hand(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `qkv-${name}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Two pixels to a CSS pixel, as far as canvases go. @param {string} svg @returns {Promise<Blob>} */
async function toPng(svg) {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
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
