// Connects the parts of the Generate page.

import { AddressBar, hashOf, readSight, readText, writeSight } from '../shared/address-bar.js';
import { GeneratorWorkbench } from '../workbench/generator.js';
import { readDraw, writeDraw } from '../workbench/sampling-controls.js';
import { Loader } from '../workbench/loader.js';
import { Explorer } from '../shared/explorer.js';
import { Marks } from '../shared/marks.js';
import { attentionFiles, bindSave } from '../shared/save.js';
import { statusLine } from '../shared/status.js';
import { bindTheme } from '../shared/theme.js';
import { kOneText } from '../shared/words.js';

const kModel = 'models/english/everyday/';
const kLayer = 2; // a layer whose heads attend to more than neighbours

/** @param {Document} root */
export function startPage(root) {
  const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
  const status = statusLine(root);
  const explorer = new Explorer(root, { words: kOneText, kind: 'decoderSelf', layer: kLayer });
  const workbench = new GeneratorWorkbench(find('#generator'), explorer, new Marks(explorer), status);
  const address = new AddressBar();
  const firstText = workbench.text;

  function note(step = false) {
    const params = new URLSearchParams();
    if (workbench.text !== firstText) params.set('text', workbench.text);
    writeDraw(params, workbench.draw);
    writeSight(params, explorer.sight, 'decoderSelf');
    address.note(hashOf(params), step);
  }

  /** @returns {boolean} whether the address has a text */
  function restore() {
    address.forget();
    const params = new URLSearchParams(location.hash.slice(1));
    workbench.draw = readDraw(params);
    explorer.sight = { ...readSight(params, 'decoderSelf'), kind: 'decoderSelf' };
    const text = readText(params);
    workbench.text = text ?? firstText;
    return text !== null;
  }

  workbench.addEventListener('change', () => (workbench.text !== firstText || location.hash) && note());
  workbench.addEventListener('write', () => {
    note(!isFirst);
    isFirst = false;
  });
  workbench.addEventListener('choose', () => note(true));
  explorer.addEventListener('sight', () => note());
  addEventListener('popstate', restore);
  bindTheme(find('#theme'));
  bindSave(
    find('#save'),
    attentionFiles(() => explorer.inView),
  );
  /** The page begins with the model's continuation. */
  let isFirst = !restore();
  new Loader(status, (model) => {
    workbench.use(model);
    if (isFirst) workbench.write();
  }).load(kModel);
}
