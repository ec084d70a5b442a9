// How much each head matters, as bars below the heads. Nothing is loaded until somebody asks, and no translation waits for it.

import { headImportance } from '../../lib/explain/index.js';
import { make } from '../shared/dom.js';
import { LatestRun, failureText } from '../shared/latest.js';

/** @typedef {import('../../lib/index.js').Trace} Trace */

/** Dispatches `change` when the reader asked, or asks no more. */
export class Importance extends EventTarget {
  #model;
  #heads;
  #switch;
  #message;
  #isOn = false;
  /** The translation in view. @type {Trace | null} */
  #trace = null;
  #run = new LatestRun(
    (signal) => this.#ask(signal),
    (error) => this.#say(failureText(error)),
  );

  /** @param {ParentNode} root @param {import('./intervention-model.js').InterventionModel} model */
  constructor(root, model) {
    super();
    this.#model = model;
    this.#heads = /** @type {import('../../view/heads.js').HeadsElement} */ (root.querySelector('qkv-heads'));
    this.#switch = make('input', { type: 'checkbox', id: 'importance', role: 'switch' });
    this.#message = make('p.caption', { id: 'importance-message', role: 'status' });
    this.#switch.addEventListener('change', () => {
      this.isOn = this.#switch.checked;
      this.dispatchEvent(new Event('change'));
    });
    const label = make('label.switch', {}, this.#switch, make('span', {}, 'how much each matters'));
    this.#heads.before(label);
    this.#heads.after(this.#message);
  }

  get isOn() {
    return this.#isOn;
  }
  set isOn(isOn) {
    this.#isOn = this.#switch.checked = isOn;
    this.#run.request();
  }

  /** @param {Trace | null} trace of the sentence in view */
  show(trace) {
    if (trace === this.#trace) return;
    this.#trace = trace;
    this.#heads.importance = null; // that of another translation
    this.#run.request();
  }

  /** @param {string} text */
  #say(text) {
    this.#message.textContent = text;
  }

  /** @param {AbortSignal} signal */
  async #ask(signal) {
    const trace = this.#trace;
    if (!this.#isOn || !trace) {
      this.#heads.importance = null;
      return this.#say('');
    }
    if (!this.#heads.importance) this.#say('Each head is switched off in turn…');
    const translator = await this.#model.get();
    signal.throwIfAborted();
    const question = { source: trace.source.text, target: trace.target.text };
    const found = await headImportance(translator, question, { signal });
    signal.throwIfAborted();
    this.#heads.importance = found;
    this.#say(saying(found));
  }
}

/** @param {import('../../lib/explain/index.js').HeadImportance} found */
function saying({ encoder, decoder, cross }) {
  const all = Object.entries({ encoder, decoder, cross }).flatMap(([name, { shape, data }]) =>
    Array.from(data, (fall, i) => ({
      fall,
      name: `${name} layer ${Math.floor(i / shape[1]) + 1}, head ${(i % shape[1]) + 1}`,
    })),
  );
  const most = all.reduce((best, one) => (one.fall > best.fall ? one : best));
  return (
    'Bars: how much log p of the translation falls without the head; of another colour: it rises. ' +
    `Longest of all: ${most.name}, ${most.fall.toFixed(2)} nats (Michel et al. 2019; Voita et al. 2019).`
  );
}
