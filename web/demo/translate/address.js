// The page's address says what is in view, so that a link restores it:
// #text=…&sentence=2&prefix=34.5&step=3&kind=cross&layer=2&head=1&view=lines&scale=row&beam=8&model=luong-local, or &to=de,
// &change=off.cross.2.1, the changes (intervention.js), &heads=weighed, bars of how much each matters, &asked=both, attention
// beside the needed words, &part=cross.2.1, the part of the model's drawing that is open, and &pair=plain.bahdanau, the two
// models side by side

import { hashOf, readSight, readText, whole, writeSight } from '../shared/address-bar.js';
import { viewOf } from './explanation-card.js';
import { readChanges, writeChanges } from './intervention.js';
import { isPartName } from './model-parts.js';
import { isLanguage, isOffered, kOwn } from './model-picker.js';

/** @typedef {import('../shared/explorer.js').Sight} Sight */

/**
 * @typedef {object} State
 * @property {string | null} text null: the page's own first sentence
 * @property {number} sentence of the text, from 0; -1: the first
 * @property {number[] | null} prefix the ids of the pieces that its translation begins with
 * @property {number | null} step how many of its pieces are written while it is played; null: it is not
 * @property {Sight} sight
 * @property {number | null} beam the beam of the search card; null: the model's own
 * @property {string | null} language that the page translates into; null: the first
 * @property {import('./intervention.js').Change[]} changes
 * @property {boolean} importance whether heads have bars of how much they matter
 * @property {string | null} asked the view of the card of attention and need; null: none was chosen
 * @property {string | null} part of the model's drawing that is open, by its name; null: none was chosen
 * @property {[string, string] | null} pair the two models side by side; null: none are
 * @property {string | null} model of those that the page offers; null: the language's own
 */

const kIds = /^\d{1,6}(\.\d{1,6}){0,999}$/;
const kStep = /^\d{1,4}$/;
const kBeams = /^[1248]$/; // those that the page offers

/**
 * Reads an address. Malformed parts are ignored.
 * @param {string} hash
 * @returns {State}
 */
export function readAddress(hash) {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const [model, language] = [params.get('model'), params.get('to')];
  return {
    text: readText(params),
    sentence: whole(params.get('sentence')),
    prefix: kIds.test(params.get('prefix') ?? '') ? (params.get('prefix') ?? '').split('.').map(Number) : null,
    step: kStep.test(params.get('step') ?? '') ? Number(params.get('step')) : null,
    sight: readSight(params, 'cross'),
    beam: kBeams.test(params.get('beam') ?? '') ? Number(params.get('beam')) : null,
    language: isLanguage(language) ? language : null,
    changes: readChanges(params.get('change')),
    importance: params.get('heads') === 'weighed',
    asked: viewOf(params.get('asked')),
    part: partOf(params.get('part')),
    pair: pairOf(params.get('pair')),
    model: isOffered(model) ? model : null,
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

/** @param {State} state @returns {string} `readAddress` of it is the state */
export function writeAddress({
  text,
  sentence,
  prefix,
  step,
  sight,
  beam,
  language,
  changes,
  importance,
  asked,
  part,
  pair,
  model,
}) {
  const params = new URLSearchParams();
  if (text !== null) params.set('text', text);
  if (sentence >= 0) params.set('sentence', String(sentence + 1));
  if (prefix) params.set('prefix', prefix.join('.'));
  if (step !== null) params.set('step', String(step));
  writeSight(params, sight, 'cross');
  if (beam !== null) params.set('beam', String(beam));
  if (language !== null) params.set('to', language);
  if (model !== null) params.set('model', model);
  if (changes.length > 0) params.set('change', writeChanges(changes));
  if (importance) params.set('heads', 'weighed');
  if (asked !== null) params.set('asked', asked);
  if (part !== null) params.set('part', part);
  if (pair) params.set('pair', pair.join('.'));
  return hashOf(params);
}
