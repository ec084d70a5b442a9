// Connects the parts of the Understand page.

import { AddressBar, hashOf, readViewState, readText, writeViewState } from '../shared/address-bar.js';
import { EncoderWorkbench } from '../workbench/encoder.js';
import { Loader } from '../workbench/loader.js';
import { Explorer } from '../shared/explorer.js';
import { Marks } from '../shared/marks.js';
import { attentionFiles, bindSave } from '../shared/save.js';
import { statusLine } from '../shared/status.js';
import { bindTheme } from '../shared/theme.js';
import { kOneText } from '../shared/words.js';
import { ClassifierCards } from './classifier-cards.js';

const kModel = 'models/english/masked/';
const kFirstHidden = ['speak'];
const kLayer = 2; // the heads of this layer attend to more than the next pieces

/** @param {Document} root */
export function startPage(root) {
  // The parts of the page.
  const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
  const status = statusLine(root);
  const explorer = new Explorer(root, { words: kOneText, kind: 'encoderSelf', layer: kLayer });
  const workbench = new EncoderWorkbench(find('#encoder'), explorer, new Marks(explorer), status);
  const classifiers = new ClassifierCards(find('#classifiers'));
  const address = new AddressBar();
  const firstText = workbench.text;

  /** Writes the view to the address. */
  function note(step = false) {
    const params = new URLSearchParams();
    if (workbench.text !== firstText) params.set('text', workbench.text);
    writeViewState(params, explorer.viewState, 'encoderSelf');
    address.note(hashOf(params), step);
  }

  /** Shows the view of the address. */
  function restore() {
    address.forget();
    const params = new URLSearchParams(location.hash.slice(1));
    explorer.viewState = { ...readViewState(params, 'encoderSelf'), kind: 'encoderSelf' };
    workbench.text = readText(params) ?? firstText;
    if (workbench.text === firstText) workbench.hiddenWords = kFirstHidden;
  }

  // What the address and the cards follow.
  workbench.addEventListener('change', () => {
    if (workbench.text !== firstText || location.hash) note();
    classifiers.read(workbench.wholeText);
  });
  workbench.addEventListener('choose', () => note(true));
  explorer.addEventListener('viewchange', () => note());
  addEventListener('popstate', restore);
  bindTheme(find('#theme'));
  bindSave(
    find('#save'),
    attentionFiles(() => explorer.inView),
  );
  restore();
  new Loader(status, (model) => {
    workbench.use(model);
    classifiers.start();
  }).load(kModel);
}
