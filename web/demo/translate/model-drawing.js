// The drawing of a model: two stacks of parts, one for the encoder and one for the decoder. Each part is a button. The button
// of a head shows its attention as a thumbnail.

import { sliceOf } from '../../view/index.js';
import { drawThumbnails } from '../../view/thumbnails.js';
import { shade, writtenOf } from '../../view/trace.js';
import { make, svgMake } from '../shared/dom.js';
import { nameOf } from './model-parts.js';

/** @typedef {import('./model-parts.js').Part} Part */
/** @typedef {import('./model-parts.js').Group} Group */
/** @typedef {import('./model-parts.js').Block} Block */
/** @typedef {import('../../view/trace.js').Trace} Trace */

/** A toolbar with one tab stop: arrow keys move from part to part. Dispatches `choose` (detail: a Part). */
export class ModelDrawing extends EventTarget {
  #node;
  #lines = svgMake('svg', { class: 'lines', 'aria-hidden': 'true' });
  /** @type {Map<HTMLButtonElement, Part>} */
  #parts = new Map();

  /** @param {HTMLElement} node */
  constructor(node) {
    super();
    this.#node = node;
    node.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.#connect()).observe(node);
  }

  /** @param {{encoder: Group[], decoder: Group[]}} parts */
  build({ encoder, decoder }) {
    this.#parts.clear();
    const stacks = [
      { name: 'Encoder', side: 'encoder', groups: encoder },
      { name: 'Decoder', side: 'decoder', groups: decoder },
    ].map(({ name, side, groups }) =>
      make(`div.stack.${side}`, {}, make('p.label', {}, name), ...groups.map((group) => this.#group(group))),
    );
    this.#node.replaceChildren(...stacks, this.#lines);
    this.#connect();
  }

  /** @param {Group} group */
  #group({ name, blocks }) {
    const rows = blocks.map((block) => this.#block(block, name));
    return make(name ? 'div.group' : 'div.group.end', {}, ...(name ? [make('span.layer', {}, name)] : []), ...rows);
  }

  /** @param {Block} block @param {string} group */
  #block({ name, parts }, group) {
    const isAttention = parts[0]?.type === 'attention';
    const side = parts[0]?.side ?? 'encoder';
    const buttons = parts.map((part) => this.#button(part, isAttention ? '' : name, [side, group, name]));
    if (!isAttention) return make('div.block', {}, ...buttons);
    return make(`div.block.${parts[0].kind}`, {}, make('span.name', {}, name), make('span.row', {}, ...buttons));
  }

  /** @param {Part} part @param {string} text @param {string[]} words of its name for screen readers */
  #button(part, text, words) {
    const one = part.gates ? 'forget gates' : `head ${Number(part.head) + 1}`;
    const label = [...words.filter(Boolean), ...(part.type === 'attention' ? [one] : [])].join(', ');
    const button = make('button', { type: 'button', tabIndex: this.#parts.size > 0 ? -1 : 0 }, text || make('canvas'));
    if (text) button.title = label;
    else button.ariaLabel = button.title = label;
    button.dataset.part = nameOf(part);
    button.addEventListener('click', () => this.dispatchEvent(new CustomEvent('choose', { detail: part })));
    this.#parts.set(button, part);
    return button;
  }

  /** The part with a name, if the model has it. @param {string} name */
  partOf(name) {
    return [...this.#parts.values()].find((part) => nameOf(part) === name) ?? null;
  }

  /** @param {Part | null} chosen */
  mark(chosen) {
    const name = chosen && nameOf(chosen);
    for (const [button, part] of this.#parts) {
      const isChosen = nameOf(part) === name;
      button.setAttribute('aria-pressed', String(isChosen));
      if (isChosen) this.#moveStop(button);
    }
  }

  /** @param {Trace} trace @param {number | null} written how many target pieces are drawn; null: all */
  draw(trace, written) {
    const thumbnails = [...this.#parts].flatMap(([button, { kind, layer, head = 0 }]) => {
      const slice = kind && sliceOf(trace, { kind, layer, head });
      const canvas = button.querySelector('canvas');
      return slice && canvas ? [{ canvas, slice: writtenOf(slice, written), shown: shade(slice, 'absolute') }] : [];
    });
    drawThumbnails(thumbnails);
  }

  /** Draws a line from the end of the encoder to each cross attention, if the stacks are side by side. */
  #connect() {
    // Where lines begin and end. Without cross attention there is one line, to the decoder's embedding.
    const from = this.#node.querySelector('[data-part="memory.encoder"]')?.getBoundingClientRect();
    const box = this.#node.getBoundingClientRect();
    const ends = [...this.#node.querySelectorAll('.decoder .block.cross')].map((row) => row.getBoundingClientRect());
    const none = from && ends.length === 0 ? this.#node.querySelector('[data-part="embedding.decoder"]') : null;
    if (none) ends.push(none.getBoundingClientRect());
    // Lines with two right angles and an arrow.
    const beside = from ? ends.filter(({ left }) => left > from.right) : [];
    this.#lines.replaceChildren(
      ...beside.map((end) => {
        const [x, y] = [/** @type {DOMRect} */ (from).right - box.left, mid(/** @type {DOMRect} */ (from)) - box.top];
        const [to, at] = [end.left - box.left, mid(end) - box.top];
        const elbow = x + (to - x) / 2;
        return svgMake('path', { d: `M${x} ${y}H${elbow}V${at}H${to - 1}m-5 -4l5 4l-5 4` });
      }),
    );
  }

  /** @param {HTMLButtonElement} button */
  #moveStop(button) {
    for (const other of this.#parts.keys()) other.tabIndex = other === button ? 0 : -1;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const buttons = [...this.#parts.keys()];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const next = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      ArrowUp: this.#beyond(buttons, at, -1),
      ArrowDown: this.#beyond(buttons, at, 1),
      Home: 0,
      End: buttons.length - 1,
    }[event.key];
    if (at < 0 || next === undefined || !buttons[next]) return;
    event.preventDefault();
    this.#moveStop(buttons[next]);
    buttons[next].focus();
  }

  /** The first part of the next row, or of the previous row. @param {HTMLButtonElement[]} buttons @param {number} at @param {1 | -1} by */
  #beyond(buttons, at, by) {
    const rowOf = (/** @type {number} */ i) => buttons[i]?.closest('.block');
    let next = at;
    while (buttons[next] && rowOf(next) === rowOf(at)) next += by;
    while (by < 0 && next > 0 && rowOf(next - 1) === rowOf(next)) --next;
    return next;
  }
}

/** @param {DOMRect} box */
const mid = ({ top, height }) => top + height / 2;
