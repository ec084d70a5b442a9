// What a model folder has, shown before the model is loaded: its kind, its sizes, its tensors.

import { make } from '../shared/dom.js';

/** @typedef {import('../../lib/models/index.js').FolderInfo} FolderInfo */

const kKinds = {
  Encoder: 'encoder, reads in both directions',
  Generator: 'generator, continues texts',
  Translator: 'translator',
};

export class Facts {
  #root;
  #name;
  #list;
  #tensors;
  /** The layers and heads, which are known when the model is loaded. */
  #layers = make('dd');
  #count;
  #rows;

  /** @param {HTMLElement} root */
  constructor(root) {
    const find = (/** @type {string} */ query) => /** @type {HTMLElement} */ (root.querySelector(query));
    this.#root = root;
    this.#name = find('h2');
    this.#list = find('dl');
    this.#tensors = find('details');
    this.#count = find('summary small');
    this.#rows = find('tbody');
  }

  hide() {
    this.#root.hidden = true;
  }

  /**
   * Shows what is known when the model is loaded. For a folder that cannot be inspected, that is all.
   * @param {string} name
   * @param {any} info an Encoder's, a Generator's or a Translator's
   */
  loaded(name, info) {
    if (this.#root.hidden) this.#showOwn(name, info);
    const { layers, heads, encoderLayers, encoderHeads, decoderLayers, decoderHeads } = info;
    this.#layers.textContent =
      layers === undefined
        ? `encoder ${layersOf(encoderLayers, encoderHeads)}, decoder ${layersOf(decoderLayers, decoderHeads)}`
        : layersOf(layers, heads);
  }

  /** @param {string} name @param {import('../../lib/index.js').TranslatorInfo} info */
  #showOwn(name, info) {
    this.#list.replaceChildren(
      ...rows({
        Kind: kKinds.Translator,
        Parameters: info.parameters.toLocaleString('en'),
        'In memory': sizeOf(info.bytes),
        Layers: this.#layers,
        ...sizesOf(info),
      }),
    );
    this.#name.textContent = name;
    this.#tensors.hidden = true;
    this.#root.hidden = false;
  }

  /** @param {string} name @param {FolderInfo} info */
  show(name, info) {
    const { class: kind, modelType, architecture, parameters, bytes, fileBytes, tensors } = info;
    this.#root.hidden = false;
    this.#name.textContent = name;
    this.#layers.textContent = '…';
    // The kind of the folder, and its size.
    const facts = {
      Kind: kKinds[kind],
      Family: architecture ? `${modelType}, ${architecture}` : modelType,
      Parameters: parameters.toLocaleString('en'),
      Files: fileBytes ? `${sizeOf(fileBytes)} of weights` : 'their size is not known before they are read',
      'In memory': sizeOf(bytes),
      Layers: this.#layers,
      ...sizesOf(info),
    };
    this.#list.replaceChildren(...rows(facts));
    // A row for each tensor.
    this.#tensors.hidden = tensors.length === 0;
    this.#count.textContent = `${tensors.length}, ${sizeOf(tensors.reduce((sum, tensor) => sum + tensor.bytes, 0))}`;
    this.#rows.replaceChildren(
      ...tensors.map((tensor) =>
        make(
          'tr',
          {},
          make('th', { scope: 'row' }, tensor.name),
          make('td', {}, tensor.shape.join(' × ') || 'one number'),
          make('td', {}, tensor.dtype),
          make('td.number', {}, tensor.bytes.toLocaleString('en')),
        ),
      ),
    );
  }
}

/** @param {{dModel: number, vocabularySize: number, maxLength: number}} info */
const sizesOf = ({ dModel, vocabularySize, maxLength }) => ({
  Width: String(dModel),
  Vocabulary: `${vocabularySize.toLocaleString('en')} pieces`,
  'Longest text': `${maxLength.toLocaleString('en')} pieces`,
});

/** @param {Record<string, string | HTMLElement>} facts @returns {HTMLElement[]} */
const rows = (facts) =>
  Object.entries(facts).map(([term, fact]) =>
    make('div', {}, make('dt', {}, term), typeof fact === 'string' ? make('dd', {}, fact) : fact),
  );

/** @param {number} layers @param {number} heads of each */
const layersOf = (layers, heads) => (heads <= 1 ? String(layers) : `${layers}, each with ${heads} heads`);

/** @param {number} bytes */
export const sizeOf = (bytes) => (bytes < 1e5 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`);
