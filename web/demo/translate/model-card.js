// The card "the model": the whole of it as a drawing, each part of it opens the numbers that it computed for the sentence in view.

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

const kTwo = 'two of them, one after the other: each alone is drawn';
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
  /** The name of the reader's part; null: none was chosen. @type {string | null} */
  #chosen = null;
  /** @type {number | null} */
  #written = null;
  #built = '';
  #isVisible = false;
  #isStale = false;
  /** @type {((signal: AbortSignal) => Promise<void>) | null} */
  #asked = null;
  #run = new LatestRun(
    (signal) => /** @type {any} */ (this.#asked)(signal),
    (error) => this.#say(failureText(error)),
  );

  /** @param {ParentNode} root @param {Explorer} explorer @param {InterventionModel} model */
  constructor(root, explorer, model) {
    super();
    const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
    this.#card = /** @type {HTMLElement} */ (find('#whole'));
    this.#facts = /** @type {HTMLElement} */ (find('#whole-facts'));
    this.#panel = /** @type {HTMLElement} */ (find('#whole-panel'));
    this.#drawing = new ModelDrawing(find('#whole-drawing'));
    this.#explorer = explorer;
    this.#model = model;
    this.#drawing.addEventListener('choose', (event) => this.#choose(/** @type {CustomEvent} */ (event).detail));
    onThemeChange(() => this.#refresh());
    new ResizeObserver(() => this.#scrolls()).observe(this.#panel);
    const near = (/** @type {boolean} */ isNear) => {
      this.#isVisible = isNear;
      if (isNear && this.#isStale) this.#refresh();
    };
    new IntersectionObserver(([{ isIntersecting }]) => near(isIntersecting), { rootMargin: '300px' }).observe(
      this.#card,
    );
    addEventListener('beforeprint', () => near(true));
  }

  /** The name of the part that the reader opened; null: none. @returns {string | null} */
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

  /** @param {Trace | null} trace @param {boolean} canAsk whether the model in view made it */
  show(trace, canAsk) {
    this.#run.cancel();
    [this.#trace, this.#canAsk] = [trace, canAsk];
    this.#refresh();
  }

  /** Builds the parts at once, and draws what they computed once the card is near or is printed. */
  #refresh() {
    this.#isStale = !this.#isVisible;
    const trace = this.#trace;
    const isOne = !!trace && !('legs' in trace);
    this.#card.classList.toggle('none', !!trace && !isOne);
    this.#facts.textContent = trace && !isOne ? kTwo : '';
    if (!isOne || !trace.source || !trace.target) return;
    const parts = partsOf(trace);
    this.#isRecurrent = parts.isRecurrent;
    const names = JSON.stringify(parts);
    // The parts are there from the beginning: a card that grows when it comes near would move what is below.
    if (names !== this.#built) this.#drawing.build(parts);
    this.#built = names;
    this.#facts.textContent = factsOf(trace);
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
    this.#scrolls();
  }

  /** On a phone the panel scrolls by itself: then keys have to reach it. */
  #scrolls() {
    if (this.#panel.scrollHeight > this.#panel.clientHeight + 1) this.#panel.tabIndex = 0;
    else this.#panel.removeAttribute('tabindex');
  }

  /** Shows a head in the card of attention. @param {Pick<import('../shared/explorer.js').Sight, 'kind' | 'head'>} sight */
  #select(sight) {
    this.#explorer.sight = { ...this.#explorer.sight, ...sight };
    this.#explorer.dispatchEvent(new Event('sight'));
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    document.querySelector('.card.attention')?.scrollIntoView({ block: 'start', behavior: still ? 'auto' : 'smooth' });
  }

  /** Translates without a part, and says how likely the translation in view is then. @param {Part} part @param {HTMLElement} into */
  #ask({ side, layer }, into) {
    const trace = /** @type {import('../../lib/index.js').Trace} */ (/** @type {unknown} */ (this.#trace));
    this.#asked = async (signal) => {
      this.#say('…');
      const translator = await this.#model.get();
      signal.throwIfAborted();
      const interventions = [
        { kind: /** @type {const} */ ('off'), block: /** @type {const} */ ('feedForward'), side, layer },
      ];
      const [source, target] = [trace.source.text, trace.target.text];
      const free = await translator.trace(source, { interventions, signal });
      const [before, after] = [
        await translator.trace({ source, target }, { signal }),
        await translator.trace({ source, target }, { interventions, signal }),
      ];
      signal.throwIfAborted();
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
