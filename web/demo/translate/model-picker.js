// The pickers of the language and of the model.

import { choiceOf, folderOf, isLanguage, kFirstLanguage, kOwn, languagesOf } from './offered-models.js';

const kAsk = 'firefox';
const kGiven = 'given';

/**
 * A model that the reader gave: its languages, and options for `Translator.create`.
 * `goesBack`: the list that it is from also has a model for the other direction.
 * @typedef {{from: string, to: string, options: Partial<import('../../lib/index.js').CreateOptions>, goesBack?: boolean}} Given
 */

/** The name of a language. @param {string} tag */
export const languageName = (tag) => new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;

/**
 * The pickers of the language and of the model. Dispatches `choose`, and `ask` when the reader wants to give a model. If the
 * reader chooses the other direction of the same languages, `turn` comes before `choose`.
 * With a model in the address (`?model=`) there is nothing to pick.
 */
export class ModelPicker extends EventTarget {
  #model;
  #language;
  #custom;
  /** @type {Given | null} */
  #given = null;
  /** All models that the reader gave, by their languages. @type {Map<string, Given>} */
  #all = new Map();
  /** What was picked before. */
  #before = { model: kOwn, from: 'en', to: kFirstLanguage };

  /** @param {ParentNode} root @param {string | null} custom the URL of a model folder */
  constructor(root, custom) {
    super();
    this.#custom = custom;
    this.#model = /** @type {HTMLSelectElement} */ (root.querySelector('#model'));
    this.#language = /** @type {HTMLSelectElement} */ (root.querySelector('#language'));
    // A choice of a model sets its language, and the other way round.
    /** @type {HTMLElement} */ (root.querySelector('#models')).hidden = custom !== null;
    this.#language.disabled = custom !== null;
    this.#model.addEventListener('change', () => {
      if (this.#model.value === kAsk) {
        this.#model.value = this.#before.model; // until the reader gives a model
        this.dispatchEvent(new Event('ask'));
        return;
      }
      if (this.given) this.#language.value = kGiven;
      else if (this.id !== null || this.#language.value === kGiven) this.#language.value = kFirstLanguage;
      this.#chosen();
    });
    this.#language.addEventListener('change', () => {
      if (this.#language.value === kGiven) this.#model.value = kGiven;
      else if (this.language !== null || this.given) this.#model.value = kOwn;
      if (this.source.tag === this.#before.to && this.target.tag === this.#before.from)
        this.dispatchEvent(new Event('turn'));
      this.#chosen();
    });
  }

  /** Notes what is picked now. */
  #note() {
    this.#before = { model: this.#model.value, from: this.source.tag, to: this.target.tag };
  }

  #chosen() {
    this.#note();
    this.dispatchEvent(new Event('choose'));
  }

  /** The reader's model, if it is picked. @returns {Given | null} */
  get given() {
    return this.#model.value === kGiven ? this.#given : null;
  }

  /** Picks a model that the reader gave. It stays among the models until the page is left. @param {Given} given */
  give(given) {
    this.#given = given;
    this.#all.set(`${given.from} ${given.to}`, given);
    const [from, to] = [languageName(given.from), languageName(given.to)];
    setOption(this.#model, `Firefox, ${from} to ${to}`, this.#model.querySelector(`option[value=${kAsk}]`));
    setOption(this.#language, to, null);
    this.#model.value = this.#language.value = kGiven;
    this.#chosen();
  }

  /**
   * Finds a model for a pair of languages: one that the reader gave, or the page's own.
   * @param {string} from @param {string} to
   * @returns {(() => void) | null} picks it; null: there is none
   */
  #found(from, to) {
    const back = this.given?.goesBack && from === this.given.to && to === this.given.from;
    const given = this.#all.get(`${from} ${to}`) ?? (back ? { ...this.given, from, to } : undefined);
    if (given) return () => this.give(/** @type {Given} */ (given));
    const choice = choiceOf(from, to);
    if (!isLanguage(choice)) return null;
    return () => {
      this.pick(choice, null);
      this.dispatchEvent(new Event('choose'));
    };
  }

  /** @param {string} from @param {string} to @returns {boolean} whether there is a model for these languages */
  has(from, to) {
    return this.#found(from, to) !== null;
  }

  /** Picks the model for a pair of languages. @param {string} from @param {string} to @returns {boolean} whether there is one */
  choose(from, to) {
    const pick = this.#found(from, to);
    pick?.();
    return pick !== null;
  }

  /** Picks a model for the other direction. @returns {boolean} whether there is one */
  turn() {
    const [from, to] = [this.target.tag, this.source.tag];
    if (!this.has(from, to)) return false;
    this.dispatchEvent(new Event('turn'));
    return this.choose(from, to);
  }

  /** The model's name in the address; null: the language's own model. @returns {string | null} */
  get id() {
    return [kOwn, kGiven].includes(this.#model.value) ? null : this.#model.value;
  }

  /** The choice of languages in the address; null: the first. @returns {string | null} */
  get language() {
    return [kFirstLanguage, kGiven].includes(this.#language.value) ? null : this.#language.value;
  }

  /** @param {string | null} language as `language` gives it @param {string | null} id as `id` gives it */
  pick(language, id) {
    this.#language.value = language ?? kFirstLanguage;
    this.#model.value = (language === null && id) || kOwn;
    this.#note();
  }

  /** The languages: [from, to]. */
  get #tags() {
    return this.given ? [this.given.from, this.given.to] : languagesOf(this.#language.value);
  }

  /** The target language: its tag, and its name on the page. */
  get target() {
    const [, tag] = this.#tags;
    return { tag, name: languageName(tag) };
  }

  /** The source language. */
  get source() {
    const [tag] = this.#tags;
    return { tag, name: languageName(tag) };
  }

  /** The model's folder; undefined: the package's own for the language. @returns {string | undefined} */
  get folder() {
    return this.#custom ?? (this.id === null ? undefined : folderOf(this.id));
  }
}

/**
 * The option of the reader's model.
 * @param {HTMLSelectElement} select
 * @param {string} name
 * @param {Element | null} next the option that it stands before; null: the last
 */
function setOption(select, name, next) {
  select.querySelector(`option[value=${kGiven}]`)?.remove();
  const option = new Option(name, kGiven);
  if (next) next.before(option);
  else select.append(option);
}
