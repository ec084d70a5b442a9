// The controls that choose a model.

import { make } from '../shared/dom.js';
import { headCounts, layerCounts, widths } from './link.js';
import { kDefaults, kinds, scores, windows } from './models.js';

/** @typedef {import('./models.js').ModelChoice} ModelChoice */

/**
 * A select with a name.
 * @param {string} name
 * @param {[string, string][]} options value and label
 * @param {(value: string) => void} changed
 */
export function selectOf(name, options, changed) {
  const select = make('select', {}, ...options.map(([value, label]) => make('option', { value }, label)));
  select.addEventListener('change', () => changed(select.value));
  const node = make('label.choice', {}, make('span', {}, name), select);
  return { node, set: (/** @type {string} */ value) => (select.value = value) };
}

const same = (/** @type {readonly (string | number)[]} */ values) =>
  values.map((value) => /** @type {[string, string]} */ ([String(value), String(value)]));

/** The controls that each kind of model has. @type {Record<ModelChoice['kind'], string[]>} */
const kParts = {
  plain: ['width'],
  bahdanau: ['width'],
  pointer: ['width'],
  luong: ['score', 'window', 'selection', 'width'],
  transformer: ['layers', 'heads', 'width', 'positions', 'scaled'],
};

/**
 * @param {(choice: ModelChoice) => void} changed
 * @returns {{node: HTMLElement, show: (choice: ModelChoice) => void}}
 */
export function choiceControls(changed) {
  // How each control changes the choice.
  /** @type {ModelChoice} */
  let now = kDefaults.bahdanau;
  const change = (/** @type {Partial<ModelChoice>} */ part) => changed({ ...now, ...part });
  const number = (/** @type {'width' | 'layers' | 'heads'} */ field) => (/** @type {string} */ value) =>
    change({ [field]: Number(value) });
  const kind = selectOf('Model', Object.entries(kinds), (value) => changed({ ...kDefaults[value], width: now.width }));
  const parts = {
    score: selectOf('Score', same(scores), (value) => change({ score: /** @type {any} */ (value) })),
    window: selectOf('Window', same(windows), (value) =>
      change({ window: /** @type {any} */ (value), ...(value !== 'global' && { selection: undefined }) }),
    ),
    selection: selectOf(
      'Reads',
      [
        ['soft', 'all places (soft)'],
        ['hard', 'one place (hard)'],
      ],
      (value) => change(value === 'hard' ? { selection: 'hard', window: 'global' } : { selection: undefined }),
    ),
    layers: selectOf('Layers', same(layerCounts), number('layers')),
    heads: selectOf('Heads', same(headCounts), number('heads')),
    width: selectOf('Width', same(widths), number('width')),
    positions: selectOf(
      'Positions',
      [
        ['yes', 'sinusoids'],
        ['no', 'none'],
      ],
      (value) => change({ positions: value === 'yes' ? undefined : false }),
    ),
    scaled: selectOf(
      'Scores',
      [
        ['yes', '÷ √d'],
        ['no', 'as they are'],
      ],
      (value) => change({ scaled: value === 'yes' ? undefined : false }),
    ),
  };
  const node = make('div.choices-row', {}, kind.node, ...Object.values(parts).map((part) => part.node));
  return {
    node,
    show(choice) {
      now = choice;
      kind.set(choice.kind);
      for (const [name, part] of Object.entries(parts)) {
        part.node.hidden = !kParts[choice.kind].includes(name);
        const value = choice[/** @type {keyof ModelChoice} */ (name)];
        if (name === 'positions' || name === 'scaled') part.set(value === false ? 'no' : 'yes');
        else if (name === 'selection') part.set(choice.selection ?? 'soft');
        else if (value !== undefined) part.set(String(value));
      }
    },
  };
}
