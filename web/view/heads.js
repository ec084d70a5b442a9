// <qkv-heads>: a small picture of every head of a kind, with a row for each layer. It is a radio group.

import { weightScale } from './colour.js';
import { define } from './define.js';
import { drawThumbnails } from './thumbnails.js';
import { formatWeight, headsOf, isGates, shade, sliceOf, weightsOf, writtenOf } from './trace.js';
import { View } from './view.js';

/** @typedef {import('./trace.js').Kind} Kind */
/** @typedef {import('./trace.js').Slice} Slice */
/** @typedef {import('./trace.js').Trace} Trace */
/** @typedef {{layer: number, head: number}} Head */
/** How much each head of a kind matters: [layers, heads]. @typedef {{shape: number[], data: ArrayLike<number>}} Falls */
/** @typedef {{cross: Falls, encoder: Falls, decoder: Falls}} Importance the result of `headImportance` of qkv/explain */

/**
 * Dispatches `qkv-preview` (detail: a Head, or null when pointing ends) and `qkv-choose` (detail: a Head).
 */
export class HeadsElement extends View {
  /** @type {Trace | null} */
  #trace = null;
  /** @type {Kind} */
  #kind = 'cross';
  /** @type {Head | null} */
  #chosen = null;
  /** @type {Head[]} */
  #marked = [];
  /** @type {number | null} */
  #written = null;
  /** @type {Importance | null} */
  #importance = null;
  #shape = '';
  /** The data of the drawn thumbnails. @type {unknown[]} */
  #drawn = [];

  /** @override */
  connectedCallback() {
    this.setAttribute('role', 'radiogroup');
    this.addEventListener('keydown', this.#key);
    super.connectedCallback();
  }

  /** @override */
  disconnectedCallback() {
    this.removeEventListener('keydown', this.#key);
    super.disconnectedCallback();
  }

  /**
   * @param {Trace | null} trace
   * @param {Kind} kind
   * @param {Head | null} chosen
   * @param {Head[]} [marked] heads to mark with a dot
   */
  show(trace, kind, chosen, marked = []) {
    this.#trace = trace;
    this.#kind = kind;
    this.#chosen = chosen;
    this.#marked = marked;
    this.schedule();
  }

  /** How many of the target's pieces are drawn; null: all. @returns {number | null} */
  get written() {
    return this.#written;
  }
  set written(written) {
    this.#written = written;
    this.schedule();
  }

  /** How much log p falls without each head. It is drawn as bars; null: not known. @returns {Importance | null} */
  get importance() {
    return this.#importance;
  }
  set importance(importance) {
    this.#importance = importance;
    this.schedule();
  }

  /** @override @protected */
  draw() {
    const trace = this.#trace;
    const [layers, heads] = trace ? headsOf(trace, this.#kind) : [0, 0];
    if (this.#shape !== `${layers}x${heads}`) this.#build(layers, heads);
    if (!trace) return;
    for (const button of this.#buttons()) {
      const head = headOf(button);
      const chosen = sameHead(head, this.#chosen);
      button.setAttribute('aria-checked', String(chosen));
      const name = isGates(trace, this.#kind, head.head) ? 'forget gates' : `head ${head.head + 1}`;
      button.setAttribute('aria-label', `layer ${head.layer + 1}, ${name}`);
      button.tabIndex = chosen || (!this.#chosen && head.layer + head.head === 0) ? 0 : -1;
      button.classList.toggle(
        'marked',
        this.#marked.some((other) => sameHead(head, other)),
      );
    }
    this.#drawThumbnails(trace);
    this.#drawBars();
    this.drawHighlight();
  }

  /** Draws the importance of the heads as bars. All kinds have the same scale: kinds can be compared. */
  #drawBars() {
    const all = this.#importance;
    this.classList.toggle('weighed', !!all);
    if (!all) return this.#buttons().forEach((button) => button.removeAttribute('title'));
    const own = { cross: all.cross, alignment: all.cross, encoderSelf: all.encoder, decoderSelf: all.decoder }[
      this.#kind
    ];
    const peak = Math.max(...[all.cross, all.encoder, all.decoder].flatMap(({ data }) => Array.from(data, Math.abs)));
    for (const button of this.#buttons()) {
      const { layer, head } = headOf(button);
      const fall = layer < own.shape[0] && head < own.shape[1] ? own.data[layer * own.shape[1] + head] : null;
      const bar = /** @type {HTMLElement} */ (button.querySelector('.bar'));
      bar.style.setProperty('--share', String(fall === null || peak === 0 ? 0 : Math.abs(fall) / peak));
      bar.classList.toggle('minus', (fall ?? 0) < 0);
      const said =
        fall === null ? '' : `without it log p ${fall < 0 ? 'rises' : 'falls'} by ${Math.abs(fall).toFixed(2)}`;
      button.title = said;
      if (said) button.setAttribute('aria-label', `${button.getAttribute('aria-label')}; ${said}`);
    }
  }

  /** @param {Trace} trace */
  #drawThumbnails(trace) {
    const wanted = [trace, this.#kind, this.scaling, weightScale(), this.clientWidth, devicePixelRatio, this.#written];
    if (wanted.every((part, i) => part === this.#drawn[i])) return;
    this.#drawn = wanted;
    const kind = this.#kind === 'alignment' ? 'cross' : this.#kind;
    const thumbnails = this.#buttons().map((button) => {
      const whole = /** @type {Slice} */ (sliceOf(trace, { kind, ...headOf(button) }));
      const slice = writtenOf(whole, this.#written);
      const canvas = /** @type {HTMLCanvasElement} */ (button.firstElementChild);
      return { canvas, slice, shown: shade(slice, this.scaling) };
    });
    drawThumbnails(thumbnails);
  }

  /** @param {number} layers @param {number} heads */
  #build(layers, heads) {
    this.#shape = `${layers}x${heads}`;
    this.#drawn = [];
    this.style.setProperty('--heads', String(heads));
    const rows = Array.from({ length: layers }, (_, layer) => {
      const name = document.createElement('span');
      name.className = 'layer';
      name.textContent = `layer ${layer + 1}`;
      const buttons = Array.from({ length: heads }, (_, head) => this.#button({ layer, head }));
      return [name, ...buttons];
    });
    this.replaceChildren(...rows.flat());
  }

  /** @param {Head} head */
  #button(head) {
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('role', 'radio');
    button.dataset.layer = String(head.layer);
    button.dataset.head = String(head.head);
    const number = document.createElement('span');
    number.className = 'number';
    const bar = document.createElement('span');
    bar.className = 'bar';
    button.append(document.createElement('canvas'), bar, number);
    button.addEventListener('pointerenter', (event) => event.pointerType !== 'touch' && this.#say('qkv-preview', head));
    button.addEventListener('pointerleave', () => this.#say('qkv-preview', null));
    button.addEventListener('click', () => this.#say('qkv-choose', head));
    return button;
  }

  /**
   * Draws the text below each head: its number, or the weight of the highlighted cell. @override @protected
   */
  drawHighlight() {
    const weights = this.#trace && weightsOf(this.#trace, this.#kind);
    if (!weights) return;
    const { query = null, key = null } = this.selection?.current ?? {};
    const [, heads, rows, columns] = weights.shape;
    const masked = this.#kind === 'decoderSelf' && (key ?? 0) > (query ?? 0);
    const lit = query !== null && key !== null && query < rows && key < columns && !masked;
    for (const button of this.#buttons()) {
      const { layer, head } = headOf(button);
      const at = ((layer * heads + head) * rows + (query ?? 0)) * columns + (key ?? 0);
      const number = /** @type {HTMLElement} */ (button.lastElementChild);
      const gates = head >= heads; // the columns of forget gates are units, not pieces
      number.textContent = gates ? 'f' : lit ? formatWeight(weights.data[at]) : String(head + 1);
      number.classList.toggle('weight', lit && !gates);
    }
  }

  /** @returns {HTMLButtonElement[]} */
  #buttons() {
    return [...this.querySelectorAll('button')];
  }

  /** @param {string} type @param {Head | null} detail */
  #say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  }

  #key = (/** @type {KeyboardEvent} */ event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest('button');
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (!button || !step) return;
    event.preventDefault();
    const [layers, heads] = this.#shape.split('x').map(Number);
    const { layer, head } = headOf(button);
    const next = { layer: (layer + step[0] + layers) % layers, head: (head + step[1] + heads) % heads };
    this.#buttons()
      .find((other) => sameHead(headOf(other), next))
      ?.focus();
    this.#say('qkv-choose', next);
  };
}

/** @param {HTMLElement} button @returns {Head} */
const headOf = (button) => ({ layer: Number(button.dataset.layer), head: Number(button.dataset.head) });

/** @param {Head | null} a @param {Head | null} b */
const sameHead = (a, b) => !!a && !!b && a.layer === b.layer && a.head === b.head;

define('qkv-heads', HeadsElement);
