// Connects the parts of the Understand page.

import { AddressBar, hashOf, readSight, readText, writeSight } from '../shared/address-bar.js';
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
const kLayer = 2; // a layer whose heads attend to more than neighbours

/** @param {Document} root */
export function startPage(root) {
  const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
  const status = statusLine(root);
  const explorer = new Explorer(root, { words: kOneText, kind: 'encoderSelf', layer: kLayer });
  const workbench = new EncoderWorkbench(find('#encoder'), explorer, new Marks(explorer), status);
  const judges = new ClassifierCards(find('#judges'));
  const address = new AddressBar();
  const firstText = workbench.text;

  function note(step = false) {
    const params = new URLSearchParams();
    if (workbench.text !== firstText) params.set('text', workbench.text);
    writeSight(params, explorer.sight, 'encoderSelf');
    address.note(hashOf(params), step);
  }

  function restore() {
    address.forget();
    const params = new URLSearchParams(location.hash.slice(1));
    explorer.sight = { ...readSight(params, 'encoderSelf'), kind: 'encoderSelf' };
    workbench.text = readText(params) ?? firstText;
    if (workbench.text === firstText) workbench.hiddenWords = kFirstHidden;
  }

  workbench.addEventListener('change', () => {
    if (workbench.text !== firstText || location.hash) note();
    judges.read(workbench.wholeText);
  });
  workbench.addEventListener('choose', () => note(true));
  explorer.addEventListener('sight', () => note());
  addEventListener('popstate', restore);
  bindTheme(find('#theme'));
  bindSave(
    find('#save'),
    attentionFiles(() => explorer.inView),
  );
  restore();
  new Loader(status, (model) => {
    workbench.use(model);
    judges.start();
  }).load(kModel);
}
