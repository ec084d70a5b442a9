// The page's address says what is in view, so that a link restores it:
// #text=…&sentence=2&prefix=34.5&kind=cross&layer=2&head=1&view=lines&scale=row&beam=8&model=luong-local

import { kKindNames } from './explorer.js';
import { isOffered } from './models.js';

/** @typedef {import('./explorer.js').Sight} Sight */

/**
 * @typedef {object} State
 * @property {string | null} text null: the page's own first sentence
 * @property {number} sentence of the text, from 0; -1: the first
 * @property {number[] | null} prefix the ids of the pieces that its translation is to begin with
 * @property {Sight} sight
 * @property {number | null} beam how wide the search card searches; null: as the model likes
 * @property {string | null} model of those that the page offers; null: the first
 */

const kLongestText = 5000;
const kIds = /^\d{1,6}(\.\d{1,6}){0,999}$/;
const kBeams = /^[1248]$/; // those that the page offers

/**
 * What an address asks for. Whatever is malformed in it counts as not said.
 * @param {string} hash
 * @returns {State}
 */
export function readAddress(hash) {
  const said = new URLSearchParams(hash.replace(/^#/, ''));
  const text = said.get('text');
  const model = said.get('model');
  const [layer, head] = [whole(said.get('layer')), whole(said.get('head'))];
  return {
    text: text !== null && text.length <= kLongestText ? text : null,
    sentence: whole(said.get('sentence')),
    prefix: kIds.test(said.get('prefix') ?? '') ? (said.get('prefix') ?? '').split('.').map(Number) : null,
    sight: {
      kind: kKindNames.find((kind) => kind === said.get('kind')) ?? 'cross',
      head: layer >= 0 && head >= 0 ? { layer, head } : null,
      view: said.get('view') === 'lines' ? 'lines' : 'matrix',
      scaling: said.get('scale') === 'row' ? 'row' : 'absolute',
    },
    beam: kBeams.test(said.get('beam') ?? '') ? Number(said.get('beam')) : null,
    model: isOffered(model) ? model : null,
  };
}

/** @param {State} state @returns {string} `readAddress` of it is the state */
export function writeAddress({ text, sentence, prefix, sight: { kind, head, view, scaling }, beam, model }) {
  const said = new URLSearchParams();
  if (text !== null) said.set('text', text);
  if (sentence >= 0) said.set('sentence', String(sentence + 1));
  if (prefix) said.set('prefix', prefix.join('.'));
  if (kind !== 'cross') said.set('kind', kind);
  if (head && kind !== 'alignment') {
    said.set('layer', String(head.layer + 1));
    said.set('head', String(head.head + 1));
  }
  if (view !== 'matrix') said.set('view', view);
  if (scaling !== 'absolute') said.set('scale', scaling);
  if (beam !== null) said.set('beam', String(beam));
  if (model !== null) said.set('model', model);
  const hash = said.toString();
  return hash && `#${hash}`;
}

/** People count from 1. @param {string | null} number @returns {number} from 0; -1 where there is none */
const whole = (number) => (number !== null && /^[1-9]\d{0,3}$/.test(number) ? Number(number) - 1 : -1);
