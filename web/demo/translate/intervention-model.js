// The model in view, in the engine that takes interventions. It is loaded when it is first needed, and only once.

/** @typedef {import('../../lib/index.js').Translator} Translator */

export class InterventionModel {
  #create;
  /** @type {Promise<Translator> | null} */
  #translator = null;

  /** @param {() => Promise<Translator>} create loads the model in view, with interventions */
  constructor(create) {
    this.#create = create;
  }

  /** @returns {Promise<Translator>} */
  get() {
    const loading = (this.#translator ??= this.#create());
    loading.catch(() => {
      if (this.#translator === loading) this.#translator = null; // after a failure the next call tries again
    });
    return loading;
  }

  /** To be called when another model comes into view. */
  forget() {
    this.#translator?.then((translator) => translator.destroy()).catch(() => {});
    this.#translator = null;
  }
}
