// Reads and writes the page's address. It has what is in view, so that a link restores it:
// #text=…&sentence=2&prefix=34.5&step=3&kind=cross&layer=2&head=1&view=lines&scale=row&beam=8&model=luong-local
//   &to=de: translate from English to German
//   &to=fr-en: translate from French to English. A source language other than English is always named.
//   &change=off.cross.2.1: the changes (intervention.js)
//   &heads=weighed: the bars with the importance of each head
//   &asked=both: the view of the explanation card
//   &part=cross.2.1: the open part of the drawing of the model
//   &pair=plain.bahdanau: the two models side by side

import { hashOf, readViewState, readText, indexIn, writeViewState } from '../shared/address-bar.js';
import { viewOf } from './explanation-card.js';
import { readChanges, writeChanges } from './intervention.js';
import { isPartName } from './model-parts.js';
import { isOffered, kOwn, readModel } from './offered-models.js';

/** @typedef {import('../shared/explorer.js').ViewState} ViewState */

/**
 * @typedef {object} State
 * @property {string | null} text null: the page's own first sentence
 * @property {number} sentence the sentence in view, from 0; -1: the first
 * @property {number[] | null} prefix the ids of the pieces that its translation begins with
 * @property {number | null} step how many of its pieces the player shows; null: the player is closed
 * @property {ViewState} viewState
 * @property {number | null} beam the beam of the search card; null: the model's own
 * @property {string | null} language the choice of languages (offered-models.js); null: the first
 * @property {import('./intervention.js').Change[]} changes
 * @property {boolean} importance whether heads have bars with their importance
 * @property {string | null} explanation the view of the explanation card; null: none was chosen
 * @property {string | null} part the name of the open part in the drawing of the model; null: none was chosen
 * @property {[string, string] | null} pair the two models side by side; null: none
 * @property {string | null} model one of the models that the page offers; null: the language's own
 */

const kIds = /^\d{1,6}(\.\d{1,6}){0,999}$/;
const kStep = /^\d{1,4}$/;
const kBeams = /^[1248]$/; // the beams that the page offers

/**
 * Reads an address. Malformed parts are ignored.
 * @param {string} hash
 * @returns {State}
 */
export function readAddress(hash) {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    text: readText(params),
    sentence: indexIn(params.get('sentence')),
    prefix: kIds.test(params.get('prefix') ?? '') ? (params.get('prefix') ?? '').split('.').map(Number) : null,
    step: kStep.test(params.get('step') ?? '') ? Number(params.get('step')) : null,
    viewState: readViewState(params, 'cross'),
    beam: kBeams.test(params.get('beam') ?? '') ? Number(params.get('beam')) : null,
    changes: readChanges(params.get('change')),
    importance: params.get('heads') === 'weighed',
    explanation: viewOf(params.get('asked')),
    part: partOf(params.get('part')),
    pair: pairOf(params.get('pair')),
    ...readModel(params),
  };
}

/** @param {string | null} name */
const partOf = (name) => (isPartName(name) ? name : null);

/** @param {string | null} text @returns {[string, string] | null} */
function pairOf(text) {
  const [left, right, more] = (text ?? '').split('.');
  const isKnown = (/** @type {string} */ id) => id === kOwn || isOffered(id ?? null);
  return isKnown(left) && isKnown(right) && more === undefined ? [left, right] : null;
}

/** The hash from which `readAddress` reads the state. @param {State} state @returns {string} */
export function writeAddress({
  text,
  sentence,
  prefix,
  step,
  viewState,
  beam,
  language,
  changes,
  importance,
  explanation,
  part,
  pair,
  model,
}) {
  const params = new URLSearchParams();
  if (text !== null) params.set('text', text);
  if (sentence >= 0) params.set('sentence', String(sentence + 1));
  if (prefix) params.set('prefix', prefix.join('.'));
  if (step !== null) params.set('step', String(step));
  writeViewState(params, viewState, 'cross');
  if (beam !== null) params.set('beam', String(beam));
  if (language !== null) params.set('to', language);
  if (model !== null) params.set('model', model);
  if (changes.length > 0) params.set('change', writeChanges(changes));
  if (importance) params.set('heads', 'weighed');
  if (explanation !== null) params.set('asked', explanation);
  if (part !== null) params.set('part', part);
  if (pair) params.set('pair', pair.join('.'));
  return hashOf(params);
}
