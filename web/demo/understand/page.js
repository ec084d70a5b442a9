// What the Understand page has, tied together.

import { AddressBar, hashOf, readSight, readText, writeSight } from '../address-bar.js';
import { EncoderBench } from '../bench/encoder.js';
import { Loader } from '../bench/loader.js';
import { Explorer } from '../explorer.js';
import { Marks } from '../marks.js';
import { attentionFiles, bindSave } from '../save.js';
import { statusLine } from '../status.js';
import { bindTheme } from '../theme.js';
import { kOneText } from '../words.js';
import { Judges } from './judges.js';

const kModel = 'models/english/masked/';
const kFirstHidden = ['speak'];
const kLayer = 2; // where more than neighbours is looked at

/** @param {Document} root */
export function startPage(root) {
  const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
  const status = statusLine(root);
  const explorer = new Explorer(root, { words: kOneText, kind: 'encoderSelf', layer: kLayer });
  const bench = new EncoderBench(find('#encoder'), explorer, new Marks(explorer), status);
  const judges = new Judges(find('#judges'));
  const address = new AddressBar();
  const firstText = bench.text;

  function note(step = false) {
    const said = new URLSearchParams();
    if (bench.text !== firstText) said.set('text', bench.text);
    writeSight(said, explorer.sight, 'encoderSelf');
    address.note(hashOf(said), step);
  }

  function restore() {
    address.forget();
    const said = new URLSearchParams(location.hash.slice(1));
    explorer.sight = { ...readSight(said, 'encoderSelf'), kind: 'encoderSelf' };
    bench.text = readText(said) ?? firstText;
    if (bench.text === firstText) bench.hiddenWords = kFirstHidden;
  }

  bench.addEventListener('change', () => {
    if (bench.text !== firstText || location.hash) note();
    judges.read(bench.wholeText);
  });
  bench.addEventListener('choose', () => note(true));
  explorer.addEventListener('sight', () => note());
  addEventListener('popstate', restore);
  bindTheme(find('#theme'));
  bindSave(
    find('#save'),
    attentionFiles(() => explorer.inView),
  );
  restore();
  new Loader(status, (model) => {
    bench.use(model);
    judges.start();
  }).load(kModel);
}
