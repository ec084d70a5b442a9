// The lesson's place on the path: its question, what is lost without it, its exercise, and where to go on. Which exercises are
// done is kept on this device.

import { make } from '../shared/dom.js';
import { path } from './path.js';
import { lessonTexts, texts } from './texts.js';

const kStored = 'qkv-path';

const addressOf = (/** @type {string} */ id) => `#preset=${id}`;
const titleOf = (/** @type {string} */ id) => lessonTexts(id).title;

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
    nav.append(make('a', { href: '#' }, texts.page.playground), ...path.map(({ id }, i) => link(id, i + 1)));
    this.#mark();
  }

  /** @param {string} id of the lesson that is opened */
  show(id) {
    const at = path.findIndex((stop) => stop.id === id);
    this.#stop = path[at];
    const { find } = this;
    const { question = '', without = '', exercise = '' } = lessonTexts(id);
    find('lesson-question').textContent = question;
    find('lesson-without').textContent = without && texts.page.without(without);
    find('exercise').hidden = !exercise;
    find('exercise-text').textContent = exercise;
    this.#showExercise();
    const named = (/** @type {string} */ rel, /** @type {string} */ title) =>
      rel === 'prev' ? `‹ ${title}` : at < 0 ? texts.page.begin : texts.page.nextStop(title);
    const step = (/** @type {number} */ to, /** @type {string} */ rel) =>
      path[to] ? [make('a', { href: addressOf(path[to].id), rel }, named(rel, titleOf(path[to].id)))] : [];
    const place = at < 0 ? '' : texts.page.at(at + 1, path.length);
    find('lesson-steps').replaceChildren(...step(at - 1, 'prev'), make('span.at', {}, place), ...step(at + 1, 'next'));
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
    this.find('exercise-state').textContent = isDone ? texts.page.done : '';
  }

  /** Marks in the list what is done. */
  #mark() {
    for (const { id } of path) {
      const link = this.find('lessons').querySelector(`a[href="${addressOf(id)}"]`);
      link.classList.toggle('done', this.#done.has(id));
      const place = String(path.findIndex((stop) => stop.id === id) + 1);
      link.firstElementChild.textContent = this.#done.has(id) ? '✓' : place;
      link.title = this.#done.has(id) ? texts.page.exerciseDone : '';
    }
  }
}
