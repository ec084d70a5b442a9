// The importance of each head, as bars below the heads. The model computes it when the reader switches it on.

import { headImportance } from '../../lib/explain/index.js';
import { make } from '../shared/dom.js';
import { QuestionCard } from './question-card.js';

/** Dispatches `change` when the reader switches the bars on or off. */
export class Importance extends QuestionCard {
  #heads;
  #switch;
  #message;
  #isOn = false;

  /** @param {ParentNode} root @param {import('./intervention-model.js').InterventionModel} model */
  constructor(root, model) {
    super(model);
    this.#heads = /** @type {import('../../view/heads.js').HeadsElement} */ (root.querySelector('qkv-heads'));
    this.#switch = make('input', { type: 'checkbox', id: 'importance', role: 'switch' });
    this.#message = make('p.caption', { id: 'importance-message', role: 'status' });
    this.#switch.addEventListener('change', () => {
      this.isOn = this.#switch.checked;
      this.dispatchEvent(new Event('change'));
    });
    const label = make('label.switch', {}, this.#switch, make('span', {}, 'how much each head matters'));
    this.#heads.before(label);
    this.#heads.after(this.#message);
  }

  get isOn() {
    return this.#isOn;
  }
  set isOn(isOn) {
    this.#isOn = this.#switch.checked = isOn;
    this.request();
  }

  /** @override */
  forget() {
    this.#heads.importance = null;
  }

  /** @override @param {string} text */
  say(text) {
    this.#message.textContent = text;
  }

  /** @override @param {AbortSignal} signal */
  async ask(signal) {
    if (!this.#isOn || !this.trace) {
      this.forget();
      return this.say('');
    }
    const { source, target } = this.trace;
    if (!this.#heads.importance) this.say('Each head is switched off in turn…');
    const translator = await this.translator(signal);
    const found = await headImportance(translator, { source: source.text, target: target.text }, { signal });
    signal.throwIfAborted();
    this.#heads.importance = found;
    this.say(summary(found));
  }
}

/** What the bars are, and which is the longest. @param {import('../../lib/explain/index.js').HeadImportance} found */
function summary({ encoder, decoder, cross }) {
  const all = Object.entries({ encoder, decoder, cross }).flatMap(([name, { shape, data }]) =>
    Array.from(data, (fall, i) => ({
      fall,
      name: `${name} layer ${Math.floor(i / shape[1]) + 1}, head ${(i % shape[1]) + 1}`,
    })),
  );
  const most = all.reduce((best, one) => (one.fall > best.fall ? one : best));
  return (
    'A bar says how much log p of the translation falls without the head. In the other colour it rises. ' +
    `The longest bar is ${most.name}: ${most.fall.toFixed(2)} nats (Michel et al. 2019; Voita et al. 2019).`
  );
}
