// The models that the page offers. But for the first, none is in the first download: each loads when it is chosen.

/** @typedef {{id: string, folder: string | null}} OfferedModel `folder` null: the package's own model */

const kOwn = 'small';
const kCompared = ['plain', 'bahdanau', 'luong-dot', 'luong-general', 'luong-local', 'transformer'];

/**
 * The picker of models. Dispatches `choose`. Where the page was told of a model of somebody's own (`?model=`), there is
 * nothing to pick.
 */
export class ModelPicker extends EventTarget {
  #select;
  #custom;

  /** @param {ParentNode} root @param {string | null} custom the URL of a model folder */
  constructor(root, custom) {
    super();
    this.#custom = custom;
    this.#select = /** @type {HTMLSelectElement} */ (root.querySelector('#model'));
    /** @type {HTMLElement} */ (root.querySelector('#models')).hidden = custom !== null;
    this.#select.addEventListener('change', () => this.dispatchEvent(new Event('choose')));
  }

  /** What the address calls the model; null: the first. @returns {string | null} */
  get id() {
    return this.#select.value === kOwn ? null : this.#select.value;
  }
  set id(id) {
    this.#select.value = isOffered(id) ? id : kOwn;
  }

  /** Its folder's URL; undefined: the package's own model. @returns {string | undefined} */
  get folder() {
    return this.#custom ?? (this.id === null ? undefined : `models/compared/${this.id}/`);
  }
}

/** @param {string | null} id @returns {id is string} whether the page has such a model, besides the first */
export const isOffered = (id) => id !== null && kCompared.includes(id);
