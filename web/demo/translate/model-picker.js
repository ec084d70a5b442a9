// The languages and models that the page offers. But for the first, none is in the first download: each loads when it is
// chosen.

const kOwn = 'small';
const kCompared = ['plain', 'bahdanau', 'luong-dot', 'luong-general', 'luong-local', 'transformer'];
const kFirstLanguage = 'fr'; // the compared models' too
const kLanguages = [kFirstLanguage, 'de', 'es'];

/**
 * The pickers of the language and of the model. Dispatches `choose`. Where the page was told of a model of somebody's own
 * (`?model=`), there is nothing to pick.
 */
export class ModelPicker extends EventTarget {
  #model;
  #language;
  #custom;

  /** @param {ParentNode} root @param {string | null} custom the URL of a model folder */
  constructor(root, custom) {
    super();
    this.#custom = custom;
    this.#model = /** @type {HTMLSelectElement} */ (root.querySelector('#model'));
    this.#language = /** @type {HTMLSelectElement} */ (root.querySelector('#language'));
    /** @type {HTMLElement} */ (root.querySelector('#models')).hidden = custom !== null;
    this.#language.disabled = custom !== null;
    this.#model.addEventListener('change', () => {
      if (this.id !== null) this.#language.value = kFirstLanguage;
      this.dispatchEvent(new Event('choose'));
    });
    this.#language.addEventListener('change', () => {
      if (this.language !== null) this.#model.value = kOwn;
      this.dispatchEvent(new Event('choose'));
    });
  }

  /** What the address calls the model; null: the language's own. @returns {string | null} */
  get id() {
    return this.#model.value === kOwn ? null : this.#model.value;
  }

  /** What the address calls the language that is translated into; null: the first. @returns {string | null} */
  get language() {
    return this.#language.value === kFirstLanguage ? null : this.#language.value;
  }

  /** @param {string | null} language @param {string | null} id as above */
  pick(language, id) {
    this.#language.value = language ?? kFirstLanguage;
    this.#model.value = (language === null && id) || kOwn;
  }

  /** The language's tag, and its name in the page. */
  get target() {
    return { tag: this.#language.value, name: this.#language.selectedOptions[0].text };
  }

  /** The model's folder; undefined: the package's own for the language. @returns {string | undefined} */
  get folder() {
    return this.#custom ?? (this.id === null ? undefined : `models/compared/${this.id}/`);
  }
}

/** @param {string | null} id @returns {id is string} whether the page has such a model, besides the languages' own */
export const isOffered = (id) => id !== null && kCompared.includes(id);

/** @param {string | null} tag @returns {tag is string} whether the page translates into it, besides the first language */
export const isLanguage = (tag) => tag !== null && kLanguages.indexOf(tag) > 0;
