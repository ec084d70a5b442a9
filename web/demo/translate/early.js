// Starts the engine and the download of the model that the address names, before the rest of the page's code has come.

import { Translator } from '../../lib/index.js';
import { currentView } from '../shared/view-address.js';
import { folderOf, kFirstLanguage, offeredOptions, readModel, idOf } from './offered-models.js';

const query = new URLSearchParams(location.search);
/** The build of the engine that the address asks for. */
export const engine = query.get('engine') ?? undefined;

/** @typedef {(event: Event) => void} Progressed */

/** A translator that is being made. */
class Beginning {
  #stop = new AbortController();
  /** The newest report of progress. @type {Event | null} */
  #newest = null;
  /** @type {Progressed} */
  #progressed = () => {};
  #made;

  /** @param {string} languages the choice of languages @param {string | undefined} folder */
  constructor(languages, folder) {
    this.id = idOf(languages, folder);
    const report = (/** @type {Event} */ event) => this.#progressed((this.#newest = event));
    this.#made = Translator.create({
      ...offeredOptions(languages, folder),
      wasm: engine,
      signal: this.#stop.signal,
      monitor: (/** @type {EventTarget} */ monitor) => monitor.addEventListener('downloadprogress', report),
    });
    this.#made.catch(() => {}); // whoever takes it gets the error
  }

  /** @param {AbortSignal} signal @param {Progressed} progressed gets the last report too @returns {Promise<Translator>} */
  made(signal, progressed) {
    signal.addEventListener('abort', () => this.#stop.abort(signal.reason));
    this.#progressed = progressed;
    if (this.#newest) progressed(this.#newest);
    return this.#made;
  }

  drop() {
    this.#stop.abort();
    this.#made.then(
      (translator) => translator.destroy(),
      () => {},
    );
  }
}

/** @returns {Beginning} */
function begin() {
  const { language, model } = readModel(new URLSearchParams(currentView().replace(/^#/, '')));
  const folder = query.get('model') ?? (language === null && model !== null ? folderOf(model) : undefined);
  return new Beginning(language ?? kFirstLanguage, folder);
}

/** @type {Beginning | null} */
let beginning = begin();

/**
 * The translator that was begun early, if it is the one that is wanted. It is given once; another is dropped.
 * @param {unknown} id
 * @param {AbortSignal} signal
 * @param {Progressed} progressed
 * @returns {Promise<Translator> | null}
 */
export function begun(id, signal, progressed) {
  const mine = beginning;
  beginning = null;
  if (mine === null) return null;
  if (mine.id === id) return mine.made(signal, progressed);
  mine.drop();
  return null;
}
