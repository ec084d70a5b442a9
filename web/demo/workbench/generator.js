// Runs a generator on one text. It continues the text piece by piece, and shows the likeliest next pieces and the attention
// of each head.

import { generatorTrace } from '../../view/index.js';
import { kOneText } from '../shared/words.js';
import { SamplingControls, kSeeds } from './sampling-controls.js';
import { NextPieces } from './next-pieces.js';
import { Workbench } from './workbench.js';

/** @typedef {import('../shared/explorer.js').Explorer} Explorer */
/** @typedef {import('../shared/marks.js').Marks} Marks */
/** @typedef {import('../../lib/models/index.js').Generator} Generator */
/** @typedef {import('../../view/trace.js').Trace} Trace */
/** @typedef {ReturnType<typeof import('../shared/status.js').statusLine>} Status */

const kPieces = 24; // of one continuation
const kPace = 50; // milliseconds for a piece, so that the reader sees each
const kUndone = 100; // texts that Undo goes back to
const kNamed = 24; // letters of a text in a heading

/**
 * Also dispatches `change` when a sampling option changed, and `write` when the model has continued the text.
 * @extends {Workbench<Generator>}
 */
export class GeneratorWorkbench extends Workbench {
  #controls;
  #next;
  #button;
  /** Text for screen readers. */
  #spoken;
  /** @type {Trace | null} */
  #trace = null;
  /** The earlier texts: one for each continuation and each pick. @type {string[]} */
  #before = [];
  /** The text before the last continuation. @type {string | null} */
  #from = null;
  /** The text after which the model wrote no piece. @type {string | null} */
  #ended = null;
  /** @type {AbortController | null} */
  #writing = null;

  /** @param {HTMLElement} root parts/generator-workbench.html @param {Explorer} explorer @param {Marks} marks the page's @param {Status} status */
  constructor(root, explorer, marks, status) {
    super(root, 'target', explorer, marks, status);
    const { find } = this;
    this.#controls = new SamplingControls(find('.settings'));
    this.#next = new NextPieces(find('.answers'), (error) => status.failed(error, null));
    this.#spoken = /** @type {HTMLElement} */ (find('.aloud'));
    this.#button = {
      write: /** @type {HTMLButtonElement} */ (find('.write')),
      step: /** @type {HTMLButtonElement} */ (find('.step')),
      other: /** @type {HTMLButtonElement} */ (find('.other')),
      undo: /** @type {HTMLButtonElement} */ (find('.undo')),
    };
    this.#listen();
  }

  /** @override */
  get text() {
    return super.text;
  }
  /** @override */
  set text(text) {
    this.#stop();
    this.#before = [];
    this.#from = null;
    this.#set(text);
  }

  /** The sampling options. */
  get sampling() {
    return this.#controls.sampling;
  }
  set sampling(sampling) {
    this.#controls.sampling = sampling;
    this.#next.sampling = sampling;
  }

  /** @param {Generator} model continues the text from now on. The earlier model may be destroyed */
  use(model) {
    this.#stop();
    this.model = model;
    this.explorer.words = kOneText;
    this.#next.use(model);
    this.#next.sampling = this.sampling;
    this.changed(0);
  }

  /** Stops writing and reading. @override */
  end() {
    this.#stop();
    super.end();
    this.#enable();
  }

  /** @override */
  typed() {
    this.#stop();
    this.#from = null;
    super.typed();
  }

  #listen() {
    const { write, step, other, undo } = this.#button;
    this.#next.addEventListener('pick', (event) =>
      this.#put(this.#next.after + /** @type {CustomEvent} */ (event).detail),
    );
    this.#controls.addEventListener('change', () => {
      this.#next.sampling = this.sampling;
      this.dispatchEvent(new Event('change'));
    });
    this.explorer.selection.addEventListener('change', () => this.#showNext());
    write.addEventListener('click', () => (this.#writing ? this.#stop() : this.write()));
    step.addEventListener('click', () => this.#write(this.text, 1));
    other.addEventListener('click', () => this.#writeOther());
    undo.addEventListener('click', () => {
      this.#stop();
      this.#from = null;
      this.#set(this.#before.pop() ?? this.text);
      this.dispatchEvent(new Event('choose'));
    });
  }

  /** Continues the text. */
  write() {
    return this.#write(this.text, kPieces);
  }

  /** Continues with another seed. */
  #writeOther() {
    const from = this.#from ?? this.text;
    this.sampling = { ...this.sampling, seed: (this.sampling.seed + 1) % kSeeds };
    this.#stop();
    if (this.#from !== null) this.#before.pop();
    this.#from = null;
    return this.#write(from, kPieces);
  }

  /** @param {string} from @param {number} pieces */
  async #write(from, pieces) {
    const model = this.model;
    if (!model) return;
    this.#stop();
    const writing = (this.#writing = new AbortController());
    this.#enable();
    try {
      await this.#stream(model, from, pieces, writing.signal);
    } catch (error) {
      if (!writing.signal.aborted) this.failed(error);
    }
    if (this.#writing !== writing) return;
    this.#stop();
    this.dispatchEvent(new Event('write'));
  }

  /** @param {Generator} model @param {string} from @param {number} pieces @param {AbortSignal} signal */
  async #stream(model, from, pieces, signal) {
    // The random numbers for a longer text must differ from those for its beginning.
    const seed = this.sampling.seed + kSeeds * from.length;
    const reader = model
      .stream(from, { ...this.sampling, seed, maxLength: pieces, repetitionPenalty: 1, signal })
      .getReader();
    // Each piece is shown as it comes. With the first one, Undo gets the text before it.
    let text = from;
    if (text !== this.text) this.#set(text);
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      signal.throwIfAborted();
      if (text === from) {
        this.#remember(from);
        this.#from = from;
      }
      text += text === from && !/\S$/.test(from) ? part.value.trimStart() : part.value;
      this.#set(text);
      if (!matchMedia('(prefers-reduced-motion: reduce)').matches) await pause(kPace, signal);
    }
    this.#ended = text === from ? text : null;
    this.#spoken.textContent = text.slice(from.length);
  }

  #stop() {
    const writing = this.#writing;
    this.#writing = null;
    writing?.abort();
    this.#enable();
    if (writing) this.run.request();
  }

  /** @param {string} text that the reader picked */
  #put(text) {
    this.#stop();
    this.#remember(this.text);
    this.#from = null;
    this.#set(text);
    this.dispatchEvent(new Event('choose'));
  }

  /** @param {string} text */
  #remember(text) {
    this.#before.push(text);
    if (this.#before.length > kUndone) this.#before.shift();
  }

  /** @param {string} text */
  #set(text) {
    this.field.text = text;
    this.field.scrollToEnd();
    this.changed(0);
  }

  /** @override @param {number} pause */
  changed(pause) {
    super.changed(pause);
    this.field.markWritten(this.#from);
    this.#enable();
  }

  #enable() {
    const { write, step, other, undo } = this.#button;
    write.textContent = this.#writing ? 'Stop' : 'Continue';
    for (const button of [write, step, other]) button.disabled = !this.model;
    undo.disabled = this.#before.length === 0;
  }

  /** @override @param {AbortSignal} signal */
  async read(signal) {
    const [model, text] = [this.model, this.text];
    if (!model) return;
    const begin = performance.now();
    const traced = await model.trace(text, { signal });
    signal.throwIfAborted();
    this.#trace = generatorTrace(traced, text);
    this.explorer.show(text === '' ? null : this.#trace, false);
    this.field.mark(this.#trace.target);
    this.#showNext();
    // While the model writes, the status line waits for the last piece.
    if (this.#writing) return;
    this.field.busy(false);
    if (text === this.#ended) this.status.note('The model ends the text here. Type more, or pick a piece.');
    else {
      this.status.ready(model.info, {
        pieces: traced.pieces.length,
        milliseconds: performance.now() - begin,
        note: traced.truncated ? 'its end was not read' : '',
      });
    }
    this.dispatchEvent(new Event('change'));
  }

  /** The next pieces after the highlighted piece, or after the whole text. */
  #showNext() {
    const { slice, selection } = this.explorer;
    const target = this.#trace?.target;
    const place = selection.current;
    const piece = place ? (place.query ?? place.key) : null;
    if (!target || !slice || piece === null || piece >= target.pieces.length) {
      return this.#next.show(this.text, nameOf(this.text));
    }
    const before = target.text.slice(0, target.end[piece]);
    this.#next.show(before, nameOf(before));
  }
}

/** @param {number} milliseconds @param {AbortSignal} signal @returns {Promise<void>} */
const pause = (milliseconds, signal) =>
  new Promise((done, gone) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      gone(signal.reason);
    });
  });

/** @param {string} text */
function nameOf(text) {
  if (text.trim() === '') return 'at the beginning';
  const end = text.trimEnd();
  if (end.length <= kNamed) return `after “${end}”`;
  const last = [...end].slice(-kNamed).join('');
  return `after “… ${last.replace(/^\S*\s+/, '')}”`;
}
