// The card "The model": a drawing of all parts of the model. A press on a part opens the numbers that it computed for the
// sentence in view.

import { formatWeight } from '../../view/index.js';
import { onThemeChange } from '../../view/colour.js';
import { make } from '../shared/dom.js';
import { LatestRun, failureText } from '../shared/latest.js';
import { markDifferences } from './text-difference.js';
import { ModelDrawing } from './model-drawing.js';
import { panelOf } from './model-panel.js';
import { nameOf, partsOf } from './model-parts.js';

/** @typedef {import('./model-parts.js').Part} Part */
/** @typedef {import('./model-panel.js').Trace} Trace */
/** @typedef {import('../shared/explorer.js').Explorer} Explorer */
/** @typedef {import('./intervention-model.js').InterventionModel} InterventionModel */

const kTwoModels = 'two models, one after the other; the drawing shows only single models';
const kFirst = 'output.decoder';

/** Dispatches `choose` when the reader opened another part. */
export class ModelCard extends EventTarget {
  #card;
  #facts;
  #panel;
  #drawing;
  #explorer;
  #model;
  /** @type {Trace | null} */
  #trace = null;
  /** Whether the model can be asked about the sentence. */
  #canAsk = false;
  #isRecurrent = false;
  /** The name of the part that the reader chose; null: none. @type {string | null} */
  #chosen = null;
  /** @type {number | null} */
  #written = null;
  /** The parts that were drawn, as JSON. */
  #built = '';
  #isVisible = false;
  #isStale = false;
  /** The question to the model. @type {((signal: AbortSignal) => Promise<void>) | null} */
  #question = null;
  #run = new LatestRun(
    (signal) => /** @type {any} */ (this.#question)(signal),
    (error) => this.#say(failureText(error)),
  );

  /** @param {ParentNode} root @param {Explorer} explorer @param {InterventionModel} model */
  constructor(root, explorer, model) {
    super();
    const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.#card = /** @type {HTMLElement} */ (find('#model-card'));
    this.#facts = /** @type {HTMLElement} */ (find('#model-card-facts'));
    this.#panel = /** @type {HTMLElement} */ (find('#model-card-panel'));
    this.#drawing = new ModelDrawing(find('#model-card-drawing'));
    this.#explorer = explorer;
    this.#model = model;
    this.#drawing.addEventListener('choose', (event) => this.#choose(/** @type {CustomEvent} */ (event).detail));
    onThemeChange(() => this.#refresh());
    new ResizeObserver(() => this.#updateTabStop()).observe(this.#panel);
    const near = (/** @type {boolean} */ isNear) => {
      this.#isVisible = isNear;
      if (isNear && this.#isStale) this.#refresh();
    };
    new IntersectionObserver(([{ isIntersecting }]) => near(isIntersecting), { rootMargin: '300px' }).observe(
      this.#card,
    );
    addEventListener('beforeprint', () => near(true));
  }

  /** The name of the open part; null: the reader chose none. @returns {string | null} */
  get part() {
    return this.#chosen;
  }
  set part(part) {
    this.#chosen = part;
    this.#refresh();
  }

  /** How many target pieces are in view; null: all. @param {number | null} written */
  set written(written) {
    if (written === this.#written) return;
    this.#written = written;
    this.#refresh();
  }

  /** @param {Trace | null} trace @param {boolean} canAsk whether the model in view made the trace */
  show(trace, canAsk) {
    this.#run.cancel();
    [this.#trace, this.#canAsk] = [trace, canAsk];
    this.#refresh();
  }

  /** Makes the buttons of the parts at once. Draws the numbers when the card comes near the window, or is printed. */
  #refresh() {
    this.#isStale = !this.#isVisible;
    const trace = this.#trace;
    const isOneModel = !!trace && !('legs' in trace);
    this.#card.classList.toggle('none', !!trace && !isOneModel);
    this.#facts.textContent = trace && !isOneModel ? kTwoModels : '';
    if (!isOneModel || !trace.source || !trace.target) return;
    // The buttons are made at once. If the card grew when it comes near, it would move what is below.
    const parts = partsOf(trace);
    this.#isRecurrent = parts.isRecurrent;
    const names = JSON.stringify(parts);
    if (names !== this.#built) this.#drawing.build(parts);
    this.#built = names;
    this.#facts.textContent = factsOf(trace);
    // The numbers are drawn when they are near the window.
    if (this.#isStale) return;
    this.#drawing.draw(trace, this.#written);
    this.#open();
  }

  /** @param {Part} part */
  #choose(part) {
    this.#chosen = nameOf(part);
    this.#card.classList.add('chosen');
    this.#run.cancel();
    this.#open();
    this.dispatchEvent(new Event('choose'));
  }

  /** Shows the chosen part in the panel, or the first one. */
  #open() {
    const trace = /** @type {Trace} */ (this.#trace);
    const part = this.#drawing.partOf(this.#chosen ?? kFirst) ?? this.#drawing.partOf(kFirst);
    this.#drawing.mark(part);
    if (!part) return;
    const { kind, layer, head = 0 } = part;
    const look = kind && (() => this.#select({ kind, head: { layer, head } }));
    const without = this.#canAsk ? (/** @type {HTMLElement} */ into) => this.#ask(part, into) : null;
    const { selection } = this.#explorer;
    const context = {
      trace,
      isRecurrent: this.#isRecurrent,
      selection,
      written: this.#written,
      look: look ?? null,
      without,
    };
    this.#panel.replaceChildren(...panelOf(part, context));
    this.#updateTabStop();
  }

  /** Lets Tab focus the panel while it scrolls, as it does on a phone. */
  #updateTabStop() {
    if (this.#panel.scrollHeight > this.#panel.clientHeight + 1) this.#panel.tabIndex = 0;
    else this.#panel.removeAttribute('tabindex');
  }

  /** Shows a head in the attention card. @param {Pick<import('../shared/explorer.js').ViewState, 'kind' | 'head'>} viewState */
  #select(viewState) {
    this.#explorer.viewState = { ...this.#explorer.viewState, ...viewState };
    this.#explorer.dispatchEvent(new Event('viewchange'));
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    document.querySelector('.card.attention')?.scrollIntoView({ block: 'start', behavior: still ? 'auto' : 'smooth' });
  }

  /** Translates without a part, and shows the probability of the translation in view without it. @param {Part} part @param {HTMLElement} into */
  #ask({ side, layer }, into) {
    const trace = /** @type {import('../../lib/index.js').Trace} */ (/** @type {unknown} */ (this.#trace));
    this.#question = async (signal) => {
      this.#say('…');
      const translator = await this.#model.get();
      signal.throwIfAborted();
      const interventions = [
        { kind: /** @type {const} */ ('off'), block: /** @type {const} */ ('feedForward'), side, layer },
      ];
      // A new translation without the part, and the score of the one in view with and without it.
      const [source, target] = [trace.source.text, trace.target.text];
      const free = await translator.trace(source, { interventions, signal });
      const [before, after] = [
        await translator.trace({ source, target }, { signal }),
        await translator.trace({ source, target }, { interventions, signal }),
      ];
      signal.throwIfAborted();
      // The new translation, its differences marked, and both probabilities.
      const [p, q] = [before, after].map(({ score, target: { pieces } }) => Math.exp(score / pieces.length));
      into.replaceChildren(
        make(
          'p.running',
          { lang: trace.target.text ? document.querySelector('#target')?.getAttribute('lang') : '' },
          ...markDifferences(free.target.text, target),
        ),
        make(
          'p.caption',
          {},
          `${free.target.text === target ? 'The translation is the same. ' : ''}Without it, a piece of the translation above has probability ${formatWeight(q)} on average; with it, ${formatWeight(p)}.`,
        ),
      );
    };
    this.#run.request();
  }

  /** @param {string} text */
  #say(text) {
    this.#panel.querySelector('.without')?.replaceChildren(make('p.caption', {}, text));
  }
}

/** @param {Trace} trace */
function factsOf({ model = {} }) {
  const { parameters, dModel, vocabularySize } = model;
  return [
    parameters && `${(parameters / 1e6).toFixed(1)} M parameters`,
    dModel && `vectors of ${dModel}`,
    vocabularySize && `${vocabularySize.toLocaleString('en')} pieces in its vocabulary`,
  ]
    .filter(Boolean)
    .join(' · ');
}
