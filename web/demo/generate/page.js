// What the Generate page has, tied together.

import { AddressBar, hashOf, readSight, readText, writeSight } from '../address-bar.js';
import { GeneratorBench } from '../bench/generator.js';
import { readDraw, writeDraw } from '../bench/knobs.js';
import { Loader } from '../bench/loader.js';
import { Explorer } from '../explorer.js';
import { Marks } from '../marks.js';
import { attentionFiles, bindSave } from '../save.js';
import { statusLine } from '../status.js';
import { bindTheme } from '../theme.js';
import { kOneText } from '../words.js';

const kModel = 'models/english/everyday/';
const kLayer = 2; // where more than neighbours is looked at

/** @param {Document} root */
export function startPage(root) {
  const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
  const status = statusLine(root);
  const explorer = new Explorer(root, { words: kOneText, kind: 'decoderSelf', layer: kLayer });
  const bench = new GeneratorBench(find('#generator'), explorer, new Marks(explorer), status);
  const address = new AddressBar();
  const firstText = bench.text;

  function note(step = false) {
    const said = new URLSearchParams();
    if (bench.text !== firstText) said.set('text', bench.text);
    writeDraw(said, bench.draw);
    writeSight(said, explorer.sight, 'decoderSelf');
    address.note(hashOf(said), step);
  }

  /** @returns {boolean} whether the address has a text */
  function restore() {
    address.forget();
    const said = new URLSearchParams(location.hash.slice(1));
    bench.draw = readDraw(said);
    explorer.sight = { ...readSight(said, 'decoderSelf'), kind: 'decoderSelf' };
    const text = readText(said);
    bench.text = text ?? firstText;
    return text !== null;
  }

  bench.addEventListener('change', () => (bench.text !== firstText || location.hash) && note());
  bench.addEventListener('write', () => {
    note(!isFirst);
    isFirst = false;
  });
  bench.addEventListener('choose', () => note(true));
  explorer.addEventListener('sight', () => note());
  addEventListener('popstate', restore);
  bindTheme(find('#theme'));
  bindSave(
    find('#save'),
    attentionFiles(() => explorer.inView),
  );
  /** What the model is about to write is what the page begins with. */
  let isFirst = !restore();
  new Loader(status, (model) => {
    bench.use(model);
    if (isFirst) bench.write();
  }).load(kModel);
}
