// What the soaks translate: the goldens' sentences, over and over.

import { readFileSync } from 'node:fs';

const goldens = JSON.parse(readFileSync(new URL('../goldens/translations.json', import.meta.url), 'utf8'));

/** A hundred sentences with their best translations in beam search and in greedy search. */
export const sentences = goldens.translations.map(({ source, greedy, beam }) => ({ source, greedy, beam }));

/** Whether rounding may turn one of a search's decisions. */
export const isClose = ({ margins }) => Math.min(...margins) < 1e-4;
