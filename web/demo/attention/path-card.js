// Shows the path through the lessons, and for the current lesson its question, what is lost without its idea, its exercise, and
// the previous and the next lesson. This device keeps which exercises are done.

import { button, make } from '../shared/dom.js';
import { chapters, path } from './path.js';
import { withSymbols } from './symbols.js';
import { lessonTexts, texts } from './texts.js';

const kStored = 'qkv-path';

const addressOf = (/** @type {string} */ id) => `#preset=${id}`;
const titleOf = (/** @type {string} */ id) => lessonTexts(id).title;

/** Whether the window is wide enough for the names of all lessons. */
const hasRoom = () => matchMedia('(min-width: 761px)').matches;

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
  #count = make('span.count');
  #unfold = button('', () => this.#draw(!this.#isUnfolded));
  #isUnfolded = false;
  /** @type {import('./path.js').Stop | undefined} */
  #stop;

  /** @param {(id: string) => any} find */
  constructor(find) {
    this.find = find;
  }

  /** Draws the path: the playground, then a line with stops for each chapter. @param {HTMLElement} nav */
  fill(nav) {
    const link = (/** @type {string} */ id) =>
      make(
        'a',
        { href: addressOf(id) },
        make('span.place', { 'aria-hidden': 'true' }),
        make('span.name', {}, titleOf(id)),
      );
    const drawn = chapters().map((stops, i) => {
      const name = texts.page.chapters[i];
      const line = make('div.stops', { role: 'group', 'aria-label': name }, ...stops.map(({ id }) => link(id)));
      const node = make('div.chapter', {}, make('span.chapter-name', { 'aria-hidden': 'true' }, name), line);
      node.style.setProperty('--stops', String(stops.length));
      return node;
    });
    const playground = make('a.playground', { href: '#' }, texts.page.playground);
    nav.append(make('div.start', {}, playground, this.#count, this.#unfold), ...drawn);
    // The same as `show` will draw, so that nothing moves when the lesson appears.
    this.#draw(hasRoom() && !new URLSearchParams(location.hash.slice(1)).has('preset'));
    this.#mark();
  }

  /** Draws the stops with their names, or with their numbers only. @param {boolean} isUnfolded */
  #draw(isUnfolded) {
    this.#isUnfolded = isUnfolded;
    this.find('lessons').classList.toggle('unfolded', isUnfolded);
    this.#unfold.textContent = isUnfolded ? texts.page.fold : texts.page.unfold;
    this.#unfold.setAttribute('aria-expanded', String(isUnfolded));
  }

  /** @param {string} id of the lesson that is opened */
  show(id) {
    // Its texts and its exercise.
    const at = path.findIndex((stop) => stop.id === id);
    this.#stop = path[at];
    this.#draw(at < 0 && hasRoom());
    const { find } = this;
    const { question = '', without = '', exercise = '' } = lessonTexts(id);
    find('lesson-question').textContent = question;
    find('lesson-without').replaceChildren(...withSymbols(without && texts.page.without(without)));
    find('exercise').hidden = !exercise;
    find('exercise-text').replaceChildren(...withSymbols(exercise));
    this.#showExercise();
    // The links to the previous and the next lesson.
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

  /** Marks the exercise as done if it is. @param {import('./path.js').Attempt} attempt */
  check(attempt) {
    const stop = this.#stop;
    if (!stop || !this.isOpen || stop.id !== attempt.state.preset || !stop.isDone(attempt)) return;
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

  /** Marks the exercises that are done. */
  #mark() {
    for (const { id } of path) {
      const link = this.find('lessons').querySelector(`a[href="${addressOf(id)}"]`);
      link.classList.toggle('done', this.#done.has(id));
      const place = String(path.findIndex((stop) => stop.id === id) + 1);
      link.firstElementChild.textContent = this.#done.has(id) ? '✓' : place;
      link.title = this.#done.has(id) ? texts.page.exerciseDone : '';
    }
    this.#count.textContent = texts.page.doneOf(this.#done.size, path.length);
  }
}
