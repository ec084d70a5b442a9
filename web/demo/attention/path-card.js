// The lesson's place on the path: its question, what is lost without it, its exercise, and where to go on. Which exercises are
// done is kept on this device.

import { make } from '../shared/dom.js';
import { path } from './path.js';
import { presetOf } from './presets.js';

const kStored = 'qkv-path';

const addressOf = (/** @type {string} */ id) => `#preset=${id}`;
const titleOf = (/** @type {string} */ id) => presetOf(id)?.title ?? id;

/** @returns {Set<string>} ids of the lessons whose exercise is done */
function stored() {
  try {
    const ids = JSON.parse(localStorage.getItem(kStored) ?? '[]');
    return new Set(Array.isArray(ids) ? ids.filter((id) => path.some((stop) => stop.id === id)) : []);
  } catch {
    return new Set();
  }
}

export class PathCard {
  #done = stored();
  /** @type {import('./path.js').Stop | undefined} */
  #stop;

  /** @param {(id: string) => any} find */
  constructor(find) {
    this.find = find;
  }

  /** The links to all lessons, the playground first. @param {HTMLElement} nav */
  fill(nav) {
    const link = (/** @type {string} */ id, /** @type {number} */ place) =>
      make(
        'a',
        { href: addressOf(id) },
        make('span.place', { 'aria-hidden': 'true' }, String(place)),
        ` ${titleOf(id)}`,
      );
    nav.append(make('a', { href: '#' }, 'Playground'), ...path.map(({ id }, i) => link(id, i + 1)));
    this.#mark();
  }

  /** @param {string} id of the lesson that is opened */
  show(id) {
    const at = path.findIndex((stop) => stop.id === id);
    this.#stop = path[at];
    const { find } = this;
    find('lesson-question').textContent = this.#stop?.question ?? '';
    find('lesson-without').textContent = this.#stop ? `Without it: ${this.#stop.without}` : '';
    find('exercise').hidden = !this.#stop;
    find('exercise-text').textContent = this.#stop?.exercise ?? '';
    this.#showExercise();
    const step = (/** @type {number} */ to, /** @type {string} */ rel, /** @type {string} */ text) =>
      path[to] ? [make('a', { href: addressOf(path[to].id), rel }, text)] : [];
    const place = at < 0 ? '' : `${at + 1} of ${path.length}`;
    find('lesson-steps').replaceChildren(
      ...(at > 0 ? step(at - 1, 'prev', `‹ ${titleOf(path[at - 1].id)}`) : []),
      make('span.at', {}, place),
      ...step(at + 1, 'next', at < 0 ? 'Begin the path: a mean that looks ›' : `Next: ${titleOf(path[at + 1]?.id)} ›`),
    );
  }

  /** Whether there is an exercise that is not done. */
  get isOpen() {
    return this.#stop !== undefined && !this.#done.has(this.#stop.id);
  }

  /** Whether the exercise is done now. @param {import('./path.js').Seen} seen */
  check(seen) {
    const stop = this.#stop;
    if (!stop || !this.isOpen || stop.id !== seen.state.preset || !stop.isDone(seen)) return;
    this.#done.add(stop.id);
    try {
      localStorage.setItem(kStored, JSON.stringify([...this.#done]));
    } catch {
      // Without storage the progress lasts as long as the page.
    }
    this.#showExercise();
    this.#mark();
  }

  #showExercise() {
    const isDone = this.#stop !== undefined && this.#done.has(this.#stop.id);
    this.find('exercise').classList.toggle('done', isDone);
    this.find('exercise-state').textContent = isDone ? 'Done.' : '';
  }

  /** Marks in the list what is done. */
  #mark() {
    for (const { id } of path) {
      const link = this.find('lessons').querySelector(`a[href="${addressOf(id)}"]`);
      link.classList.toggle('done', this.#done.has(id));
      const place = String(path.findIndex((stop) => stop.id === id) + 1);
      link.firstElementChild.textContent = this.#done.has(id) ? '✓' : place;
      link.title = this.#done.has(id) ? 'The exercise is done' : '';
    }
  }
}
