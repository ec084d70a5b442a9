// The Lab page: the task, the models that learn it, and the step: the reader trains, looks back at earlier steps, and continues
// from there.

import '../../view/index.js';
import { LatestRun } from '../shared/latest.js';
import { bindTheme } from '../shared/theme.js';
import { button, make, slider } from '../shared/dom.js';
import { Chart } from './chart.js';
import { selectOf } from './choice.js';
import { chosenOf } from './examples.js';
import { Learner } from './learner.js';
import { linkMessage, rates, readLink, writeLink } from './link.js';
import { kDefaults, namesOf } from './models.js';
import { listenForPairs } from './own-pairs.js';
import { Pane } from './pane.js';
import { presets } from './presets.js';
import { drawData, ownData, tasks } from './tasks.js';

/** @typedef {import('./link.js').Setup} Setup */
/** @typedef {import('./tasks.js').Data} Data */
/** @typedef {{isChecked: boolean}} Run isChecked: the claim of the experiment is, or is being, checked */

const kLearning = 'Learning…';
const kChecking = 'Checking the claim…';
const kRefreshEvery = 200; // milliseconds between two refreshes of the examples while a model learns

/** @param {Document} root */
export const startPage = (root) => new Page(root).start();

class Page {
  #find;
  /** @type {Setup} */
  #setup;
  /** @type {Data} */
  #data = { pairs: [], unseen: [] };
  /** @type {Pane[]} */
  #panes = [];
  #charts = {
    accuracy: new Chart({ title: 'Right answers', say: (y) => `${Math.round(100 * y)} %`, top: 1 }),
    loss: new Chart({ title: 'Loss', say: (y) => y.toFixed(y < 0.1 && y > 0 ? 3 : 1) }),
  };
  /** The object of the current run; null: no model learns. A run ends when this is not its own object. @type {Run | null} */
  #running = null;
  /** Resolves when no model works any more. @type {Promise<unknown>} */
  #loops = Promise.resolve();
  /** Changes when new models are made. */
  #version = 0;
  /** The earlier step that is shown; null: the current one. @type {number | null} */
  #past = null;
  #showingStep = new LatestRun(
    (signal) => this.#showStep(signal),
    (error) => this.#failed(error),
  );
  #hash = location.hash;
  #willDraw = false;

  /** @param {Document} root */
  constructor(root) {
    this.#find = (/** @type {string} */ id) => /** @type {any} */ (root.getElementById(id));
    this.#setup = readLink(location.hash);
    this.controls = this.#controls();
    this.scrubber = this.#scrubber();
  }

  start() {
    const find = this.#find;
    // The experiments, the charts and the buttons.
    bindTheme(find('theme'));
    find('presets').append(
      ...presets.map(({ id, name }) => make('a', { href: `#experiment=${id}`, 'data-id': id }, name)),
    );
    find('charts').append(...Object.values(this.#charts).map(({ node }) => node));
    find('train').addEventListener('click', () => (this.#running ? this.#pause() : this.#train()));
    find('step').addEventListener('click', () => this.#train(1));
    find('again').addEventListener('click', () => this.#open(this.#setup));
    find('copy-link').addEventListener('click', () => this.#copyLink());
    // Own pairs, and another experiment in the address.
    listenForPairs(
      find,
      (own) => this.#open({ ...this.#setup, task: 'own', lengths: undefined, preset: null, own }),
      (error) => this.#failed(error),
    );
    addEventListener('hashchange', () => {
      if (location.hash !== this.#hash) this.#open(readLink(location.hash));
    });
    this.#open(this.#setup);
    delete find('lab').dataset.waiting; // from here on no part of the page moves
  }

  /** The controls of the task, the seed, the learning rate and the comparison. */
  #controls() {
    const change = (/** @type {Partial<Setup>} */ part) => this.#open({ ...this.#setup, ...part, preset: null });
    const names = Object.entries(tasks).map(([id, { name }]) => /** @type {[string, string]} */ ([id, name]));
    const task = selectOf('Task', [...names, ['own', 'Your own pairs']], (id) =>
      change({ task: id, lengths: id === 'own' ? undefined : tasks[id].lengths }),
    );
    const seed = make('input', { type: 'number', min: 1, max: 1e6, value: 1 });
    seed.addEventListener('change', () =>
      change({ seed: Math.min(Math.max(Math.round(Number(seed.value)) || 1, 1), 1e6) }),
    );
    const rate = slider(
      'Learning rate',
      { min: 0, max: rates.length - 1, step: 1, say: (i) => String(rates[i]) },
      (i) => this.#setRate(rates[i]),
    );
    const compare = button('Compare', () => change({ models: [this.#setup.models[0], kDefaults.plain] }));
    this.#find('what').append(task.node, make('label.choice', {}, make('span', {}, 'Seed'), seed), rate.node);
    this.#find('copy-link').before(compare);
    return {
      show: () => {
        task.set(this.#setup.task);
        seed.value = String(this.#setup.seed);
        const nearest = rates.reduce(
          (best, one, i) => (Math.abs(one - this.#setup.rate) < Math.abs(rates[best] - this.#setup.rate) ? i : best),
          0,
        );
        rate.set(nearest);
        compare.hidden = this.#setup.models.length > 1;
      },
    };
  }

  /** The slider that shows earlier steps, and the button that continues from there. */
  #scrubber() {
    const range = slider('Look back', { min: 0, max: 0, step: 1, say: (i) => this.#sayStep(i) }, (i) => this.#scrub(i));
    const goOn = button('Go on from here', () => this.#continueFromPast());
    const row = make('div.scrub-row', {}, range.node, goOn);
    this.#find('scrub').append(row);
    const input = /** @type {HTMLInputElement} */ (range.node.querySelector('input'));
    return {
      show: () => {
        const steps = this.#steps;
        input.max = String(Math.max(steps.length - 1, 0));
        input.disabled = steps.length < 2;
        range.set(this.#past === null ? Math.max(steps.length - 1, 0) : steps.indexOf(this.#past));
        goOn.hidden = this.#past === null;
      },
    };
  }

  /** The steps that all models can go back to. */
  get #steps() {
    const [first, ...others] = this.#panes.flatMap(({ learner }) => (learner ? [learner.snapshots.steps] : []));
    return (first ?? []).filter((step) => others.every((steps) => steps.includes(step)));
  }

  #sayStep(/** @type {number} */ index) {
    return `step ${this.#steps[index] ?? 0}`;
  }

  /** Makes new models. @param {Setup} setup */
  async #open(setup) {
    // Ends the earlier models. If `open` is called again, this call shows nothing more.
    const version = ++this.#version;
    this.#running = null;
    this.#past = null;
    this.#showingStep.cancel();
    this.#setup = setup;
    this.#showSetup();
    try {
      this.#data = setup.task === 'own' ? ownData(setup.own, setup.seed) : drawData(setup.task, setup);
    } catch (error) {
      this.#panes.forEach((pane) => pane.end());
      this.#find('own').open = true;
      if (setup.own === '') return this.#say('Give your pairs below: one on each line.');
      return this.#failed(error);
    }
    // A pane for each model. Their workers start at the same time.
    this.#makePanes();
    this.#say('Making the models…');
    const examples = chosenOf(this.#data.unseen);
    try {
      await Promise.all(this.#panes.map((pane, i) => this.#begin(pane, i, examples, version)));
      if (version !== this.#version) return;
      this.#say(
        `${this.#data.pairs.length.toLocaleString('en')} pairs for training, ${this.#data.unseen.length} others for measuring. Nothing is learnt yet.`,
      );
      this.#enable(true);
      this.#draw();
    } catch (error) {
      if (version === this.#version) this.#failed(error);
    }
  }

  /** Makes the model of a pane, and measures it once. @param {Pane} pane @param {number} index @param {import('./tasks.js').Pair[]} examples @param {number} version */
  async #begin(pane, index, examples, version) {
    const { models, seed, rate } = this.#setup;
    pane.begin(examples);
    const learner = await Learner.create(models[index], this.#data, { seed, rate });
    if (version !== this.#version) return learner.destroy();
    pane.learner = learner;
    await learner.begin();
    await pane.refresh();
    pane.facts(null);
  }

  #makePanes() {
    for (const pane of this.#panes) pane.end();
    const { models } = this.#setup;
    if (this.#panes.length !== models.length) {
      this.#panes = models.map((_, i) => this.#pane(i));
      this.#find('panes').replaceChildren(...this.#panes.map(({ node }) => node));
      this.#find('panes').classList.toggle('two', models.length > 1);
    }
    this.#panes.forEach((pane, i) => {
      pane.showChoice(models[i]);
      pane.facts(null);
    });
  }

  /** @param {number} index */
  #pane(index) {
    const models = (/** @type {import('./models.js').ModelChoice} */ choice) =>
      this.#setup.models.map((one, i) => (i === index ? choice : one));
    return new Pane(index === 0 ? 'first' : 'second', {
      changed: (choice) => this.#open({ ...this.#setup, models: models(choice), preset: null }),
      removed: index === 0 ? null : () => this.#open({ ...this.#setup, models: [this.#setup.models[0]], preset: null }),
      refreshEarlier: () => {
        if (this.#past !== null) this.#showingStep.request();
        return this.#past !== null;
      },
      failed: (error) => this.#failed(error),
    });
  }

  #showSetup() {
    // The claim of the experiment with its reason, or the task.
    const find = this.#find;
    const preset = presets.find(({ id }) => id === this.#setup.preset);
    find('claim').textContent =
      preset?.claim ?? (this.#setup.task === 'own' ? 'Your own pairs' : tasks[this.#setup.task].name);
    find('reason').textContent =
      preset?.reason ??
      (this.#setup.task === 'own'
        ? 'The pieces of the models are the characters of your pairs.'
        : tasks[this.#setup.task].says);
    find('verdict').textContent = preset ? `Checked after ${preset.steps} steps.` : '';
    find('verdict').className = 'verdict';
    // The link of the experiment, the text of own pairs, and the controls.
    for (const link of find('presets').children) {
      if (link.dataset.id === this.#setup.preset) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
    find('own').hidden = this.#setup.task !== 'own';
    find('own').open = this.#setup.task === 'own' && this.#setup.own === '';
    if (this.#setup.task === 'own') find('own-text').value = this.#setup.own;
    this.controls.show();
    this.#enable(false);
    // The address has all of it.
    this.#hash = writeLink(this.#setup);
    if (location.hash !== this.#hash) history.replaceState(null, '', this.#hash);
  }

  /** @param {boolean} on */
  #enable(on) {
    for (const id of ['train', 'step', 'again']) this.#find(id).disabled = !on;
    this.#find('train').textContent = 'Train';
  }

  /** @param {number} [steps] how many; left out: until the reader pauses */
  async #train(steps = Infinity) {
    await this.#pause();
    if (this.#past !== null) await this.#showPresent();
    // A loop for each model.
    const run = (this.#running = { isChecked: false });
    const version = this.#version;
    this.#find('train').textContent = 'Pause';
    this.#say(kLearning);
    const loops = this.#panes.map((pane) => this.#learn(pane, run, (pane.learner?.step ?? 0) + steps));
    this.#loops = Promise.allSettled(loops);
    try {
      await Promise.all(loops);
    } catch (error) {
      if (version === this.#version) this.#failed(error);
    }
    if (this.#running !== run) return;
    this.#stop();
    this.#draw();
  }

  /** The loop of a model: a slice of training, and sometimes a refresh of its pane. @param {Pane} pane @param {Run} run @param {number} until */
  async #learn(pane, run, until) {
    const { learner } = pane;
    const preset = presets.find(({ id }) => id === this.#setup.preset);
    let refreshed = 0;
    while (learner && this.#running === run && learner.step < until) {
      // A slice, which ends at the step at which the claim is checked.
      const before = learner.step;
      await learner.advance(preset && before < preset.steps ? Math.min(until, preset.steps) : until);
      if (this.#running !== run && pane.learner !== learner) return;
      if (performance.now() - refreshed > kRefreshEvery) {
        await pane.refresh();
        refreshed = performance.now();
        pane.facts(null);
        this.#draw();
      }
      if (preset && before < preset.steps && learner.step >= preset.steps) return this.#reached(run, preset);
    }
    if (pane.learner === learner) {
      await pane.refresh();
      pane.facts(null);
    }
  }

  /** Checks the claim when all models have made its steps. Then training stops. @param {Run} run @param {import('./presets.js').Preset} preset */
  async #reached(run, preset) {
    const learners = this.#panes.flatMap(({ learner }) => learner ?? []);
    for (const pane of this.#panes) {
      await pane.refresh();
      pane.facts(null);
    }
    if (this.#running !== run || run.isChecked || learners.some((one) => one.step < preset.steps)) return;
    run.isChecked = true; // the loops may end together, and two checks would restore each other's states
    this.#say(kChecking);
    const { holds, says } = await preset.check(learners, this.#data);
    if (this.#running !== run) return;
    const verdict = this.#find('verdict');
    verdict.className = `verdict ${holds ? 'holds' : 'fails'}`;
    verdict.textContent = `${holds ? 'It holds.' : 'It does not hold here.'} ${says}`;
    this.#say(`Checked after ${preset.steps} steps. Press Train to continue.`);
  }

  /** Stops training. Resolves when no model works any more. */
  async #pause() {
    this.#stop();
    await this.#loops;
  }

  /** Stops training. Each model still finishes its slice. */
  #stop() {
    this.#running = null;
    this.#find('train').textContent = 'Train';
    if ([kLearning, kChecking].includes(this.#find('lab-status').textContent)) this.#say('Paused.');
  }

  /** @param {number} rate */
  async #setRate(rate) {
    this.#setup = { ...this.#setup, rate, preset: null };
    this.#hash = writeLink(this.#setup);
    history.replaceState(null, '', this.#hash);
    for (const link of this.#find('presets').children) link.removeAttribute('aria-current');
    this.#find('verdict').textContent = '';
    await Promise.all(this.#panes.map(({ learner }) => learner?.setRate(rate)));
  }

  /** @param {number} index of the kept steps */
  #scrub(index) {
    const steps = this.#steps;
    this.#stop();
    this.#past = index >= steps.length - 1 ? null : steps[index];
    this.#showingStep.request(30);
    this.#draw();
  }

  /** Shows the models as they were at the chosen step. @param {AbortSignal} signal */
  async #showStep(signal) {
    await this.#loops;
    signal.throwIfAborted();
    const past = this.#past;
    const refresh = (/** @type {Pane} */ pane) =>
      past === null ? pane.refresh() : pane.learner?.atStep(past, () => pane.refresh());
    this.#loops = Promise.allSettled(this.#panes.map(refresh));
    await this.#loops;
    for (const pane of this.#panes) pane.facts(past);
  }

  async #showPresent() {
    this.#past = null;
    this.#draw();
  }

  /** Continues from the step that is shown. Later steps are removed. */
  async #continueFromPast() {
    const past = this.#past;
    if (past === null) return;
    this.#showingStep.cancel();
    await this.#pause();
    await Promise.all(this.#panes.map(({ learner }) => learner?.goBack(past)));
    this.#past = null;
    this.#train();
  }

  /** Draws the curves and the slider of steps, at most once for each frame. */
  #draw() {
    if (this.#willDraw) return;
    this.#willDraw = true;
    requestAnimationFrame(() => {
      this.#willDraw = false;
      const names = namesOf(this.#setup.models);
      const series = this.#panes.map((pane, i) => pane.series(names[i] ?? ''));
      this.#charts.accuracy.show(
        series.map(({ accuracy }) => accuracy),
        this.#past,
      );
      this.#charts.loss.show(
        series.map(({ loss }) => loss),
        this.#past,
      );
      this.scrubber.show();
    });
  }

  async #copyLink() {
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    this.#say(linkMessage(this.#setup));
  }

  /** @param {string} text */
  #say(text) {
    this.#find('lab-status').classList.remove('failed');
    this.#find('lab-status').textContent = text;
  }

  /** @param {unknown} error */
  #failed(error) {
    this.#running = null;
    this.#find('train').textContent = 'Train';
    this.#find('lab-status').classList.add('failed');
    this.#find('lab-status').textContent = error instanceof Error ? error.message : String(error);
  }
}
