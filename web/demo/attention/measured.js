// A plot of web/docs/claims: an earlier measurement, with the command that repeats it.

import { make, scrollable } from '../shared/dom.js';
import { texts } from './texts.js';

/**
 * @param {{plot: string, measured: string}} own a sentence about the plot, and what was measured
 * @param {{part: 'hull' | 'tasks' | 'length' | 'encoding', height: number}} claim part: its name in `npm run claims`
 * @returns {HTMLElement}
 */
export function measured(own, { part, height }) {
  const again = `npm run claims -- ${part === 'length' ? '--data dev.en-fr.tsv' : `--only ${part}`}`;
  const image = make('img', { src: `docs/claims/${part}.svg`, alt: own.plot, width: 720, height, loading: 'lazy' });
  return make(
    'figure.measured',
    {},
    scrollable(make('div.wide', {}, image), own.measured),
    make(
      'figcaption.caption',
      {},
      `${own.measured} `,
      make('code', { lang: 'en' }, again),
      ' · ',
      make('a', { href: 'docs/claims.html' }, texts.page.howMeasured),
    ),
  );
}

/** The same in a closed `details` element, below a picture that the page computes. @param {Parameters<typeof measured>} given */
export const foldedMeasured = (...given) =>
  make('details.measured-too', {}, make('summary', {}, texts.page.measuredToo), measured(...given));
