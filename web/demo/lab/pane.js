// One model of the Lab: its choices, its examples, and the attention of the chosen example.

import { Selection, headsOf, sliceOf } from '../../view/index.js';
import { peakOf } from '../../view/trace.js';
import { saveFile } from '../shared/download.js';
import { button, make, segmented } from '../shared/dom.js';
import { Examples } from './examples.js';
import { choiceControls } from './choice.js';
import { gradientText, slicesOf } from './gradient.js';
import { Plane, isPlane } from './plane.js';
import { zipOf } from './zip.js';

/** @typedef {import('../../view/trace.js').Kind} Kind */
/** @typedef {import('./learner.js').Learner} Learner */
/** @typedef {import('./models.js').ModelChoice} ModelChoice */
/** @typedef {import('./tasks.js').Pair} Pair */

/** @type {[Kind, string][]} */
const kKinds = [
  ['cross', 'Cross'],
  ['encoderSelf', 'Encoder'],
  ['decoderSelf', 'Decoder'],
];

export class Pane {
  node;
  /** @type {Learner | null} */
  learner = null;
  #role;
  #refreshEarlier;
  #failed;
  #choice;
  #examples;
  #facts = make('p.caption.facts-line');
  #matrix = /** @type {any} */ (make('qkv-matrix'));
  #heads = /** @type {any} */ (make('qkv-heads'));
  #plane = new Plane();
  #none = make('p.caption.none', { hidden: true }, 'This model has no attention. Only what it writes can be shown.');
  #kinds;
  #numbers;
  #legend = make('qkv-legend');
  #reading = make('p.caption.gradient-text');
  /** Whether gradients are shown instead of weights. */
  #isGradient = false;
  /** The gradient of the chosen example. @type {import('./gradient.js').Gradient | null} */
  #gradient = null;
  /** @type {import('./gradient.js').Slices | null} */
  #slices = null;
  /** @type {Kind} */
  #kind = 'cross';
  #head = { layer: 0, head: 0 };
  #chosen = 1;
  /** @type {{pair: Pair, written: string | null, trace: any}[]} */
  #shown = [];

  /**
   * @param {'first' | 'second'} role
   * @param {{changed: (choice: ModelChoice) => void, removed: (() => void) | null, refreshEarlier: () => boolean, failed: (error: unknown) => void}} actions
   *   `refreshEarlier` draws the pane again if an earlier step is in view; it returns whether one is
   */
  constructor(role, { changed, removed, refreshEarlier, failed }) {
    this.#role = role;
    this.#refreshEarlier = refreshEarlier;
    this.#failed = failed;
    const name = role === 'first' ? 'the first model' : 'the second model';
    // The choice of the model, of the example, of the attention, and of weights or gradients.
    this.#choice = choiceControls(changed);
    this.#examples = new Examples(name, (index) => this.#choose(index));
    this.#kinds = segmented(`Attention, ${name}`, kKinds, (kind) => {
      this.#kind = /** @type {Kind} */ (kind);
      this.#head = { layer: 0, head: 0 };
      this.#draw();
    });
    this.#kinds.set('cross');
    this.#numbers = segmented(
      `Numbers, ${name}`,
      [
        ['weights', 'weights'],
        ['gradient', 'gradient'],
      ],
      (shown) => this.#showGradient(shown === 'gradient').catch(failed),
    );
    this.#numbers.set('weights');
    this.#matrix.selection = new Selection();
    this.#matrix.selection.addEventListener('change', () => this.#read());
    this.#heads.addEventListener('qkv-choose', (/** @type {CustomEvent} */ event) => {
      this.#head = event.detail;
      this.#draw();
    });
    // The whole pane.
    const save = button('Save model', () => this.#save().catch(failed));
    const tools = make('div.pane-tools', {}, save, ...(removed ? [button('Remove', removed)] : []));
    this.node = make(
      `section.card.pane.${role}`,
      { 'aria-label': role === 'first' ? 'First model' : 'Second model' },
      make('header', {}, this.#choice.node),
      make('div.facts-row', {}, this.#facts, tools),
      this.#examples.node,
      make('div.pane-views', {}, this.#kinds.node, this.#numbers.node, this.#legend, this.#heads),
      this.#plane.node,
      this.#matrix,
      this.#reading,
      this.#none,
    );
  }

  /** @param {ModelChoice} choice */
  showChoice(choice) {
    this.#choice.show(choice);
    // Only a Transformer has several kinds of attention and heads.
    const isTransformer = choice.kind === 'transformer';
    this.#kinds.node.hidden = !isTransformer;
    this.#heads.hidden = !isTransformer;
    // The plain model has no attention; a pointer network has no gradients of it.
    const hasGradient = choice.kind !== 'plain' && choice.kind !== 'pointer';
    this.#numbers.node.hidden = !hasGradient;
    this.#legend.hidden = choice.kind === 'plain';
    if (!hasGradient) this.#isGradient = false;
    this.#numbers.set(this.#isGradient ? 'gradient' : 'weights');
    this.#gradient = null;
    this.#none.hidden = choice.kind !== 'plain';
    this.#matrix.hidden = choice.kind === 'plain';
    if (!isTransformer) this.#kind = 'cross';
    this.#kinds.set(this.#kind);
    this.#head = { layer: 0, head: 0 };
  }

  /** @param {Pair[]} pairs */
  begin(pairs) {
    this.#shown = pairs.map((pair) => ({ pair, written: null, trace: null }));
    this.#chosen = Math.min(1, pairs.length - 1);
    this.#draw();
  }

  /** Lets the model write its examples as it is now, and draws them. */
  async refresh() {
    const { learner } = this;
    if (!learner) return;
    for (const one of this.#shown) {
      const { written, trace } = await learner.show(one.pair);
      if (this.learner !== learner) return;
      one.written = written;
      one.trace = trace;
    }
    await this.#readGradient();
    this.#draw();
  }

  /** Gets the gradient of the chosen example, as the model is now. */
  async #readGradient() {
    const { learner } = this;
    const pair = this.#shown[this.#chosen]?.pair;
    const found = this.#isGradient && learner && pair ? await learner.gradient(pair) : null;
    if (this.learner === learner) this.#gradient = found;
  }

  /** @param {boolean} isGradient */
  async #showGradient(isGradient) {
    this.#isGradient = isGradient;
    this.#gradient = null;
    this.#matrix.selection.clear();
    if (!this.#refreshEarlier()) await this.#readGradient();
    this.#draw();
  }

  /** @param {number | null} shownStep the earlier step that is shown; null: the current one */
  facts(shownStep) {
    const { learner } = this;
    if (!learner) {
      this.#facts.textContent = 'Getting ready…';
      return;
    }
    const point = learner.points.findLast(({ step }) => shownStep === null || step <= shownStep);
    const facts = [
      shownStep === null ? `Step ${learner.step}` : `Looking at step ${shownStep}`,
      `${Math.round(100 * (point?.accuracy ?? 0))} % right`,
      ...(learner.speed && shownStep === null
        ? [`${learner.speed < 10 ? learner.speed.toFixed(1) : Math.round(learner.speed)} steps/s`]
        : []),
      `${learner.info.parameters?.toLocaleString('en') ?? '?'} weights`,
    ];
    this.#facts.textContent = facts.join(' · ');
  }

  /** The points of the curves. @param {string} name */
  series(name) {
    const points = this.learner?.points ?? [];
    return {
      accuracy: { name, role: this.#role, points: points.map(({ step, accuracy }) => ({ x: step, y: accuracy })) },
      loss: {
        name,
        role: this.#role,
        points: points.filter(({ loss }) => !Number.isNaN(loss)).map(({ step, loss }) => ({ x: step, y: loss })),
      },
    };
  }

  #choose(/** @type {number} */ index) {
    this.#chosen = index;
    this.#gradient = null; // it belongs to another example
    this.#draw();
    if (this.#isGradient) this.#showGradient(true).catch(this.#failed);
  }

  #draw() {
    // The examples, and a picture if the chosen one consists of points.
    this.#examples.show(this.#shown, this.#chosen);
    const chosen = this.#shown[this.#chosen];
    const hasPlane = !!chosen && isPlane(chosen.pair[0]);
    this.#plane.node.toggleAttribute('hidden', !hasPlane);
    if (hasPlane) this.#plane.show(chosen.pair[0], chosen.pair[1], chosen.written ?? '');
    // A model without attention has no matrix.
    const trace = chosen?.trace;
    if (!trace || trace.cross.shape[0] === 0) {
      this.#matrix.slice = null;
      this.#heads.show(null, this.#kind, null);
      return;
    }
    // The weights of the chosen head, or their gradient. A smaller model shows its last head.
    const [layers, heads] = headsOf(trace, this.#kind);
    const layer = Math.min(this.#head.layer, layers - 1);
    const head = Math.min(this.#head.head, heads - 1);
    this.#head = { layer, head };
    this.#slices = this.#gradient && slicesOf(this.#gradient, { kind: this.#kind, layer, head });
    this.#matrix.slice = this.#slices?.gradient ?? sliceOf(trace, { kind: this.#kind, layer, head });
    this.#drawLegend();
    this.#read();
    this.#heads.classList.toggle('masked', this.#kind === 'decoderSelf');
    if (!this.#heads.hidden) this.#heads.show(trace, this.#kind, this.#head);
  }

  /** The scale of the colours. */
  #drawLegend() {
    if (!this.#slices) return ['peak', 'unit'].forEach((name) => this.#legend.removeAttribute(name));
    this.#legend.setAttribute('unit', 'd loss / d weight');
    this.#legend.setAttribute('peak', String(peakOf(this.#slices.gradient) || 1));
  }

  /** A text about the selected cell. */
  #read() {
    this.#reading.hidden = !this.#isGradient;
    const isHard = this.learner?.choice.selection === 'hard';
    if (this.#slices) this.#reading.textContent = gradientText(this.#slices, this.#matrix.selection.current, isHard);
  }

  async #save() {
    if (!this.learner) return;
    saveFile(zipOf(await this.learner.files()), `lab-${this.learner.choice.kind}-step-${this.learner.step}.zip`);
  }

  end() {
    this.learner?.destroy();
    this.learner = null;
  }
}
