// The menus that save pictures of the view, and its data. The page makes each file.

import { figureSvg, lookOf, toBertviz } from '../../view/index.js';
import { bindMenu, saveFile, svg, toPng } from './download.js';

/** @typedef {import('../../view/figure.js').Figure} Figure */
/** @typedef {import('../../view/trace.js').Trace} Trace */
/** @typedef {Blob | null | Promise<Blob>} Saved null: there is nothing to save */

/**
 * A file that a menu offers.
 * @typedef {object} File
 * @property {string} name
 * @property {(white: boolean) => Saved} make `white`: a picture is on white in every theme
 */

/**
 * The files that can be saved of the attention in view.
 * @param {() => {figure: Figure, trace: Trace} | null} inView
 * @returns {Record<string, File>}
 */
export function attentionFiles(inView) {
  /** @param {(shown: {figure: Figure, trace: Trace}, white: boolean) => Saved} make @returns {File['make']} */
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
      if (blob) saveFile(blob, name);
    });
  }
  bindMenu(menu);
}

/** @param {unknown} value */
export const json = (value) => new Blob([JSON.stringify(value, asArray)], { type: 'application/json' });

/** @param {string} _ @param {unknown} value */
const asArray = (_, value) => (value instanceof Float32Array ? Array.from(value) : value);
