// The page Attention: it has one state, gets its numbers from the engine, and explains the highlighted cell.

import '../../view/grid.js';
import { loadAttention, scores as listScores } from '../../lib/attention/index.js';
import { formatNumber } from '../../view/numbers.js';
import { equation } from '../../view/math.js';
import { bindTheme } from '../shared/theme.js';
import { compute } from './compute.js';
import { bindControls } from './controls.js';
import { button, make, scrollable } from '../shared/dom.js';
import { showEmbedded, tagOf } from './embed.js';
import { equationsOf } from './equations.js';
import { textPiecesOf } from './expression.js';
import { MatrixFigure, nameOf } from './figure.js';
import { readLink, writeLink } from './link.js';
import { bindModel } from './model.js';
import { PathCard } from './path-card.js';
import { presetOf, stateOfPreset } from './presets.js';
import { bindProgram } from './program.js';
import { cellName, inputsOf, oriented, parametersOf, stagesOf } from './stages.js';
import { completed, keysOf } from './state.js';
import { withSymbols } from './symbols.js';
import { translatedEquation, lessonTexts, translatePage, texts } from './texts.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./compute.js').Result} Result */
/** @typedef {import('./stages.js').Shown} Shown */
/** @typedef {{matrix: string, row: number, column: number}} Place */

const kAddressPause = 300;

/** @param {Document} root */
export async function startPage(root) {
  const find = (/** @type {string} */ id) => /** @type {any} */ (root.getElementById(id));
  bindTheme(find('theme'));
  showEmbedded(root);
  await translatePage(root);
  const card = new PathCard(find);
  card.fill(find('lessons'));
  try {
    await loadAttention({ wasm: /** @type {any} */ (new URLSearchParams(location.search).get('engine') ?? undefined) });
    new Page(find, await listScores(), card).start();
  } catch (error) {
    const problem = find('problem');
    problem.hidden = false;
    delete find('lesson-page').dataset.waiting;
    problem.textContent = texts.page.notStarted(/** @type {Error} */ (error).message);
  }
}

/** Scrolls a row sideways until one of its elements is visible. The page itself does not scroll. @param {HTMLElement} row @param {HTMLElement} one */
function revealIn(row, one) {
  const [around, box] = [row.getBoundingClientRect(), one.getBoundingClientRect()];
  if (box.left < around.left || box.right > around.right)
    row.scrollLeft += box.left - around.left - (around.width - box.width) / 2;
}

class Page {
  /** @type {State} */
  #state;
  /** @type {Result | null} */
  #result = null;
  /** The picture of the lesson, and the lesson's id. @type {import('./presets.js').Scene | null} */
  #scene = null;
  #sceneOf = '';
  /** @type {Map<string, MatrixFigure>} */
  #figures = new Map();
  /** All matrices on the page. @type {Shown[]} */
  #shown = [];
  /** The cell under the pointer. @type {Place | null} */
  #pointed = null;
  /** The query whose weighted values are shown. */
  #query = 0;
  /** Counts the runs, so that only the latest one is shown. */
  #version = 0;
  #addressTimer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  /** The hash that was last read from the address or written to it. */
  #hash = location.hash;

  /** The result of the lesson's first state. @type {Promise<Result> | null} */
  #first = null;

  /**
   * @param {(id: string) => any} find
   * @param {import('../../lib/attention/index.js').ScoreInfo[]} scores
   * @param {PathCard} card
   */
  constructor(find, scores, card) {
    this.find = find;
    this.card = card;
    this.scores = scores;
    this.#state = this.#read();
    this.showControls = bindControls(find('controls'), scores, (change) => this.change(change(this.#state)));
    this.showProgram = bindProgram(find('program'));
    bindModel(find('model'), (patch) => this.#open({ ...stateOfPreset('playground'), ...patch }));
  }

  start() {
    const { find } = this;
    // The matrices, the equation, and the links.
    for (const area of ['inputs', 'parameters', 'stages']) this.#listen(find(area));
    scrollable(find('lesson-equation'), texts.page.equation);
    find('to-playground').addEventListener('click', () => this.#openInPlayground());
    find('copy-link').addEventListener('click', () => this.#copyLink());
    find('copy-tag').addEventListener('click', () => this.#copyTag());
    find('reset').addEventListener('click', () => this.#open(stateOfPreset(this.#state.preset)));
    // Another state in the address.
    globalThis.addEventListener('hashchange', () => {
      if (location.hash === this.#hash) return;
      this.#hash = location.hash;
      this.#open(this.#read());
    });
    find('lessons').addEventListener('click', (/** @type {Event} */ event) => {
      const link = /** @type {Element} */ (event.target).closest('a');
      if (link?.getAttribute('href') !== '#') return;
      event.preventDefault(); // an empty hash does not change the address
      this.#open(stateOfPreset('playground'));
    });
    // The choices. They are closed on a narrow window.
    find('to-choices').addEventListener('click', () => {
      find('choices').open = true;
      find('choices').firstElementChild.focus({ preventScroll: true });
      find('choices').scrollIntoView();
    });
    const wide = matchMedia('(min-width: 761px)');
    const fold = () => (find('choices').open = wide.matches);
    wide.addEventListener('change', fold);
    fold();
    this.#run();
  }

  #read() {
    return completed(
      readLink(location.hash, (id) => (presetOf(id) ? stateOfPreset(id) : null)),
      this.scores,
    );
  }

  /** Opens another state. @param {State} state */
  #open(state) {
    this.#pointed = null;
    this.#state = completed(state, this.scores);
    this.#run();
  }

  /** Opens the lesson's numbers and choices in the playground. Back leads to the lesson again. */
  #openInPlayground() {
    const state = { ...this.#state, preset: 'playground', scene: {} };
    location.hash = writeLink(state, completed(stateOfPreset('playground'), this.scores));
    this.find('lesson-title').scrollIntoView({ block: 'nearest' });
  }

  /** @param {Partial<State>} patch */
  change(patch) {
    this.#state = completed({ ...this.#state, ...patch }, this.scores);
    this.#run();
  }

  /** Computes the state and shows it. */
  async #run() {
    const version = ++this.#version;
    let result = null;
    let error = null;
    try {
      result = await compute(this.#state);
    } catch (reason) {
      error = /** @type {Error} */ (reason);
    }
    if (version !== this.#version) return;
    // Shows the result, unless a newer run began.
    this.#result = result;
    this.#show(error);
    await this.#scene?.show(this.#state, result, error);
    this.find('scene').dataset.version = String(version);
    delete this.find('lesson-page').dataset.waiting;
    this.#note();
    if (result && this.card.isOpen) this.#checkExercise(this.#state, result);
  }

  /** @param {State} state @param {Result} result */
  async #checkExercise(state, result) {
    const first = await (this.#first ??= compute(completed(stateOfPreset(state.preset), this.scores)));
    this.card.check({ state, result, first });
  }

  /** @param {Error | null} error */
  #show(error) {
    const state = this.#state;
    this.#showLesson();
    this.showControls(state);
    this.#showMatrices();
    this.#showEquations();
    this.#showSteps();
    this.#showProblem(error);
    this.showProgram(error ? null : state);
    this.#highlight();
  }

  #showLesson() {
    const { find } = this;
    this.#showLessonEquation();
    if (this.#sceneOf === this.#state.preset) return;
    // Another lesson: its texts and papers.
    this.#sceneOf = this.#state.preset;
    const preset = /** @type {import('./presets.js').Preset} */ (presetOf(this.#state.preset));
    const { title, about } = lessonTexts(preset.id);
    find('lesson-title').textContent = title;
    this.card.show(preset.id);
    this.#first = null;
    find('lesson-about').replaceChildren(...about.map((text) => make('p', {}, ...withSymbols(text))));
    const papers = preset.papers.map(({ text, href }) => make('a', { href }, text));
    find('lesson-papers').replaceChildren(...papers.flatMap((paper, i) => (i > 0 ? [' · ', paper] : [paper])));
    // Its picture, and its link in the path.
    this.#scene =
      preset.scene?.({
        change: (patch) => this.change(patch),
        state: () => this.#state,
        open: (patch) => this.#open({ ...this.#state, ...patch }),
      }) ?? null;
    find('scene').replaceChildren(...(this.#scene ? [this.#scene.node] : []));
    find('scene').hidden = !this.#scene;
    find('to-playground').hidden = preset.id === 'playground';
    for (const link of find('lessons').querySelectorAll('a')) {
      const isThis = link.hash === (preset.id === 'playground' ? '' : `#preset=${preset.id}`);
      if (isThis) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
      if (isThis) revealIn(find('lessons'), link);
    }
    document.title = `${title} · ${texts.page.suffix}`;
  }

  #showLessonEquation() {
    const preset = /** @type {import('./presets.js').Preset} */ (presetOf(this.#state.preset));
    const lines = preset.equationsOf?.(this.#state) ?? preset.equations;
    const host = this.find('lesson-equation');
    if (host.dataset.key === lines.join('\n')) return;
    host.dataset.key = lines.join('\n');
    host.replaceChildren(...lines.map((source) => equation(translatedEquation(source), { block: true })));
  }

  #showMatrices() {
    // All matrices, in the state's convention.
    const state = this.#state;
    const inputs = inputsOf(state);
    const parameters = parametersOf(state);
    const stages = this.#result ? stagesOf(state, this.#result, Math.min(this.#query, state.query.length - 1)) : [];
    this.#shown = [...inputs, ...parameters, ...stages].map((shown) => oriented(shown, state));
    // Their figures, which are made once.
    const place = (/** @type {string} */ area, /** @type {Shown[]} */ list) => {
      const figures = list.map(({ id }) => this.#figureOf(id).node);
      const host = this.find(area);
      if (host.children.length !== figures.length || figures.some((node, i) => host.children[i] !== node))
        host.replaceChildren(...figures);
      host.hidden = figures.length === 0;
    };
    place('inputs', inputs);
    place('parameters', parameters);
    place('stages', stages);
    for (const shown of this.#shown) this.#figureOf(shown.id).show(shown);
    this.#followQuery();
    this.#showHeads();
  }

  /** Sets the query whose weighted values are shown: that of the cell under the pointer, of the pinned cell, or the first. */
  #updateQuery() {
    const place = this.#pointed ?? this.#state.pinned;
    const query = place?.matrix === 'weighted' ? this.#query : this.#indicesOf(place)?.query;
    return (this.#query = Math.min(query ?? 0, this.#state.query.length - 1));
  }

  /** @param {string} id */
  #figureOf(id) {
    let figure = this.#figures.get(id);
    if (!figure) this.#figures.set(id, (figure = new MatrixFigure(id)));
    return figure;
  }

  #showHeads() {
    const { heads, head } = this.#state;
    const row = this.find('heads-row');
    row.hidden = heads === 1;
    if (row.children.length !== heads) {
      const choose = (/** @type {number} */ h) => button(texts.page.head(h + 1), () => this.change({ head: h }));
      row.replaceChildren(...Array.from({ length: heads }, (_, h) => choose(h)));
    }
    [...row.children].forEach((one, h) => one.setAttribute('aria-pressed', String(h === head)));
  }

  #showEquations() {
    const lines = equationsOf(this.#state);
    const key = JSON.stringify(lines);
    const host = this.find('equations');
    if (host.dataset.key === key) return;
    host.dataset.key = key;
    host.replaceChildren(
      ...lines.map(({ id, source }) => {
        const line = make('span.line', {}, equation(source));
        line.dataset.id = id;
        return line;
      }),
    );
  }

  /** Shows one stage after the other, or all. */
  #showSteps() {
    // `at` is the current stage. The stages after it are hidden.
    const host = this.find('steps');
    const ids = this.#stageIds();
    const { step } = this.#state;
    const at = step === '' ? ids.length : ids.indexOf(step);
    if (!host.firstChild) {
      const go = (/** @type {number} */ by) => this.#step(by);
      const all = button(texts.page.all, () => this.change({ step: '' }));
      host.append(
        button(texts.page.back, () => go(-1)),
        make('span.at', { role: 'status' }),
        button(texts.page.next, () => go(1)),
        all,
      );
    }
    // The buttons, which are made once, and the count between them.
    const [back, place, next, all] = host.children;
    back.disabled = at === 0;
    next.disabled = step === '';
    next.hidden = step === '';
    all.hidden = step === '';
    back.textContent = step === '' ? texts.page.stepThrough : texts.page.back;
    place.textContent = step === '' ? '' : texts.page.at(at + 1, ids.length);
    // The later matrices, and their lines in the equations.
    ids.forEach((id, i) => {
      const node = this.#figureOf(id).node;
      node.classList.toggle('later', i > at);
      node.inert = i > at;
      node.classList.toggle('now', i === at);
    });
    for (const line of this.find('equations').children) {
      const of = ids.indexOf(line.dataset.id);
      line.classList.toggle('later', of > at);
    }
  }

  /** The ids of the stages on the page, in their order. */
  #stageIds() {
    const stages = ['products', 'scores', 'logits', 'selected', 'weights', 'weighted', 'context'];
    return stages.filter((id) => this.#shown.some((shown) => shown.id === id));
  }

  /** @param {number} by */
  #step(by) {
    const ids = this.#stageIds();
    const { step } = this.#state;
    const at = step === '' ? 0 : Math.max(0, ids.indexOf(step) + by);
    this.change({ step: ids[at] ?? '' });
  }

  /** @param {Error | null} error */
  #showProblem(error) {
    const { find } = this;
    const problem = find('problem');
    problem.hidden = !error;
    const isSizes = error && /** @type {any} */ (error).where === 'score';
    const [query, key] = [this.#state.query[0].length, keysOf(this.#state)[0].length];
    const why = isSizes && query !== key ? texts.page.dims(this.#state.score, query, key) : error?.message;
    problem.textContent = error ? texts.page.misfit(why ?? '') : '';
    // Scores that take queries and keys of different sizes are offered.
    const fixes = isSizes ? this.scores.filter(({ sameDims }) => !sameDims) : [];
    const choose = (/** @type {string} */ score) => button(score, () => this.change({ score, parameters: {} }));
    find('mend').replaceChildren(
      ...(fixes.length > 0 ? [texts.page.mends] : []),
      ...fixes.map(({ name }) => choose(name)),
    );
    find('mend').hidden = fixes.length === 0;
  }

  /** @param {HTMLElement} area */
  #listen(area) {
    const idOf = (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.target).dataset.id ?? '';
    area.addEventListener('grid-point', (/** @type {any} */ event) => {
      this.#point(event.detail && { matrix: idOf(event), ...event.detail });
    });
    area.addEventListener('grid-pin', (/** @type {any} */ event) => {
      const place = { matrix: idOf(event), ...event.detail };
      const isFree = JSON.stringify(place) === JSON.stringify(this.#state.pinned);
      this.#pin(isFree ? null : place);
    });
    area.addEventListener('grid-unpin', () => this.#pin(null));
    area.addEventListener('grid-edit', (/** @type {any} */ event) => this.#edit(idOf(event), event.detail));
  }

  /** @param {Place | null} place */
  #point(place) {
    this.#pointed = place;
    this.#followQuery();
    this.#highlight();
  }

  /** Shows the weighted values of another query if the highlight moved to it. */
  #followQuery() {
    const [query, result] = [this.#query, this.#result];
    if (this.#updateQuery() === query || !result) return;
    const at = this.#shown.findIndex(({ id }) => id === 'weighted');
    const weighted = stagesOf(this.#state, result, this.#query).find(({ id }) => id === 'weighted');
    if (at < 0 || !weighted) return;
    this.#shown[at] = oriented(weighted, this.#state);
    this.#figureOf('weighted').show(this.#shown[at]);
  }

  /** @param {Place | null} place */
  #pin(place) {
    this.#state = { ...this.#state, pinned: place };
    if (!place) this.#pointed = null;
    if (this.#result) this.#showMatrices();
    this.#showSteps();
    this.#highlight();
    this.#note();
  }

  /** @param {string} id @param {{row: number, column: number, value: number}} edit */
  #edit(id, { row, column, value }) {
    const state = this.#state;
    const isTransposed = state.convention === 'columns' && ['query', 'key', 'value', 'allowed', 'bias'].includes(id);
    const [r, c] = isTransposed ? [column, row] : [row, column];
    const set = (/** @type {number[][]} */ matrix) =>
      matrix.map((line, at) => (at === r ? line.map((x, i) => (i === c ? value : x)) : line));
    if (id.startsWith('p.')) {
      const name = id.slice(2);
      return this.change({ parameters: { ...state.parameters, [name]: set(state.parameters[name]) } });
    }
    this.change({ [id]: set(/** @type {any} */ (state)[id]) });
  }

  /** The indices of a cell, by the axes of its matrix. @param {Place | null} place */
  #indicesOf(place) {
    const shown = place && this.#shown.find(({ id }) => id === place.matrix);
    if (!place || !shown || place.row >= shown.rows.length || place.column >= shown.columns.length) return null;
    const indices = { [shown.axes[0]]: place.row, [shown.axes[1]]: place.column };
    if (place.matrix === 'weighted') indices.query = this.#query;
    delete indices[''];
    return indices;
  }

  /** Highlights the cell under the pointer, or the pinned one, in all matrices, and explains it. */
  #highlight() {
    const { pinned } = this.#state;
    const place = this.#pointed ?? pinned;
    const indices = this.#indicesOf(place);
    const isPinned = JSON.stringify(place) === JSON.stringify(pinned);
    for (const shown of this.#shown)
      this.#figureOf(shown.id).grid.light(indices, isPinned && pinned?.matrix === shown.id);
    this.#explain(indices ? place : null);
  }

  /** Shows the computation of a cell. @param {Place | null} place */
  #explain(place) {
    const { find } = this;
    const sum = find('sum');
    const shown = place && this.#shown.find(({ id }) => id === place.matrix);
    if (!place || !shown || this.#figureOf(shown.id).node.inert) {
      // Nothing is highlighted, or the pinned cell belongs to a later stage.
      sum.replaceChildren(make('span.quiet', {}, texts.page.point));
      find('spoken').textContent = '';
      return;
    }
    // The name of the cell, the computation and the number.
    const { rows, columns, explain, kind, role } = shown;
    const value = shown.data[place.row * columns.length + place.column];
    const isTransposed = this.#state.convention === 'columns';
    const name = isTransposed ? cellName(shown, place.column, place.row) : cellName(shown, place.row, place.column);
    const where = make('span.where', {}, `${nameOf(shown)}, ${rows[place.row]}, ${columns[place.column]}`);
    const number = make(`b.of-${role || 'none'}`, {}, formatNumber(value, kind));
    const expression = explain?.(place.row, place.column);
    const pieces = expression ? textPiecesOf(expression, formatNumber) : [];
    const spans = pieces.map(({ text, role: of }) => (of ? make(`span.of-${of}`, {}, text) : text));
    const isPlain = pieces.length === 0;
    const isZero = expression?.op === 'zero'; // it has its reason only
    const result = isZero ? [] : [isPlain ? '' : ' = ', number];
    sum.replaceChildren(where, make('span.made', {}, `${name}${name ? ' = ' : ''}`, ...spans, ...result));
    // The same for screen readers.
    const said = pieces.map(({ text }) => text).join('');
    const named = isZero ? said : `${formatNumber(value, kind)}${isPlain ? '' : ` = ${said}`}`;
    find('spoken').textContent = `${nameOf(shown)}, ${rows[place.row]}, ${columns[place.column]}: ${named}`;
  }

  /** Writes the state to the address after a pause, so that a drag writes it once. */
  #note() {
    clearTimeout(this.#addressTimer);
    this.#addressTimer = setTimeout(() => this.#write(), kAddressPause);
  }

  #write() {
    if (location.hash !== this.#hash) return; // the address has another state, and its event comes next
    const hash = writeLink(this.#state, completed(stateOfPreset(this.#state.preset), this.scores));
    if (hash === this.#hash) return;
    history.replaceState(null, '', hash || location.pathname + location.search);
    this.#hash = location.hash;
  }

  #copyLink() {
    clearTimeout(this.#addressTimer);
    this.#write();
    return this.#copy(location.href, texts.page.copyByHand);
  }

  #copyTag() {
    clearTimeout(this.#addressTimer);
    this.#write();
    const tag = tagOf(location.href, lessonTexts(this.#state.preset).title);
    return this.#copy(tag, texts.page.tagByHand(tag));
  }

  /** @param {string} text @param {string} otherwise the message if the browser does not let the page copy */
  async #copy(text, otherwise) {
    const said = this.find('copied');
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = texts.page.copied;
    } catch {
      said.textContent = otherwise;
    }
  }
}
