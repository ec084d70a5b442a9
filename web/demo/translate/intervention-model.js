// The model in view with the engine that takes interventions. It is loaded when somebody asks, and only once.

/** @typedef {import('../../lib/index.js').Translator} Translator */

export class InterventionModel {
  #create;
  /** @type {Promise<Translator> | null} */
  #translator = null;

  /** @param {() => Promise<Translator>} create a translator that takes interventions, of the model in view */
  constructor(create) {
    this.#create = create;
  }

  /** @returns {Promise<Translator>} */
  get() {
    const loading = (this.#translator ??= this.#create());
    loading.catch(() => {
      if (this.#translator === loading) this.#translator = null; // one that did not load is loaded again
    });
    return loading;
  }

  /** The model in view is another one. */
  forget() {
    this.#translator?.then((translator) => translator.destroy()).catch(() => {});
    this.#translator = null;
  }
}
