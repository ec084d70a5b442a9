// Connects the parts of the Generate page.

import { AddressBar, hashOf, readViewState, readText, writeViewState } from '../shared/address-bar.js';
import { GeneratorWorkbench } from '../workbench/generator.js';
import { readSampling, writeSampling } from '../workbench/sampling-controls.js';
import { Loader } from '../workbench/loader.js';
import { Explorer } from '../shared/explorer.js';
import { Marks } from '../shared/marks.js';
import { attentionFiles, bindSave } from '../shared/save.js';
import { statusLine } from '../shared/status.js';
import { bindTheme } from '../shared/theme.js';
import { kOneText } from '../shared/words.js';

const kModel = 'models/english/everyday/';
const kLayer = 2; // the heads of this layer attend to more than the next pieces

/** @param {Document} root */
export function startPage(root) {
  // The parts of the page.
  const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
  const status = statusLine(root);
  const explorer = new Explorer(root, { words: kOneText, kind: 'decoderSelf', layer: kLayer });
  const workbench = new GeneratorWorkbench(find('#generator'), explorer, new Marks(explorer), status);
  const address = new AddressBar();
  const firstText = workbench.text;

  /** Writes the view to the address. */
  function note(step = false) {
    const params = new URLSearchParams();
    if (workbench.text !== firstText) params.set('text', workbench.text);
    writeSampling(params, workbench.sampling);
    writeViewState(params, explorer.viewState, 'decoderSelf');
    address.note(hashOf(params), step);
  }

  /** Shows the view of the address. @returns {boolean} whether the address has a text */
  function restore() {
    address.forget();
    const params = new URLSearchParams(location.hash.slice(1));
    workbench.sampling = readSampling(params);
    explorer.viewState = { ...readViewState(params, 'decoderSelf'), kind: 'decoderSelf' };
    const text = readText(params);
    workbench.text = text ?? firstText;
    return text !== null;
  }

  // What the address follows.
  workbench.addEventListener('change', () => (workbench.text !== firstText || location.hash) && note());
  workbench.addEventListener('write', () => {
    note(!isFirst);
    isFirst = false;
  });
  workbench.addEventListener('choose', () => note(true));
  explorer.addEventListener('viewchange', () => note());
  addEventListener('popstate', restore);
  bindTheme(find('#theme'));
  bindSave(
    find('#save'),
    attentionFiles(() => explorer.inView),
  );
  /** The page begins with a continuation, unless the address has a text. */
  let isFirst = !restore();
  new Loader(status, (model) => {
    workbench.use(model);
    if (isFirst) workbench.write();
  }).load(kModel);
}
