// A plot of web/docs/claims: what was measured before, with the command that measures it again.

import { make } from '../shared/dom.js';
import { texts } from './texts.js';

/**
 * @param {{plot: string, measured: string}} own the plot in a sentence, and on what it was measured
 * @param {{part: 'hull' | 'tasks' | 'length' | 'encoding', height: number}} claim part: as `npm run claims` calls it
 * @returns {HTMLElement}
 */
export function measured(own, { part, height }) {
  const again = `npm run claims -- ${part === 'length' ? '--data dev.en-fr.tsv' : `--only ${part}`}`;
  return make(
    'figure.measured',
    {},
    make('img', { src: `docs/claims/${part}.svg`, alt: own.plot, width: 720, height, loading: 'lazy' }),
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

/** The same, folded, below a picture that is computed on the page. @param {Parameters<typeof measured>} given */
export const foldedMeasured = (...given) =>
  make('details.measured-too', {}, make('summary', {}, texts.page.measuredToo), measured(...given));
