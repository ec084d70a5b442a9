// PyTorch's translations of a hundred sentences, by the default model unless another is named, and the comparison with
// ours.

import { readFileSync } from 'node:fs';

/** How many of a hundred may differ, each at a near tie. */
export const kMayDiffer = 3;

/**
 * @typedef {{text: string, ids: number[], margins: number[]}} Found
 * @typedef {{source: string, source_ids: number[], greedy: Found, beam: Found}} Sentence
 */

/** @param {string} name of a folder of tests/goldens; tests/goldens/README.md has the format */
export function readTranslations(name) {
  const file = new URL(`goldens/${name}/translations.json`, import.meta.url);
  const { beams, near_tie: nearTie, translations } = JSON.parse(readFileSync(file, 'utf8'));
  /** Whether rounding may change one of a search's decisions. @param {Found} found */
  const isTie = ({ margins }) => Math.min(...margins) < nearTie;
  /**
   * The sentences whose translation is not PyTorch's, and those of them that rounding does not explain.
   * @param {'greedy' | 'beam'} search
   * @param {string[]} texts ours
   */
  const compare = (search, texts) => {
    const differing = translations.filter((each, i) => each[search].text !== texts[i]);
    const sources = (list) => list.map(({ source }) => source);
    return { differing: sources(differing), wrong: sources(differing.filter((each) => !isTie(each[search]))) };
  };
  return { beams, /** @type {Sentence[]} */ translations, isTie, compare };
}

export const { beams, translations, isTie, compare } = readTranslations('en-fr-int8');

const least = ({ beam }) => Math.min(...beam.margins);
/** The ten sentences whose translation depends least on rounding, the surest first. */
export const sure = translations.toSorted((a, b) => least(b) - least(a)).slice(0, 10);
const [surest] = sure;
/** The sentence whose translation rounding does not change, for tests that need just one. */
export const kSure = { text: surest.source, translation: surest.beam.text };
