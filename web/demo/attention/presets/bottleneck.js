// Why attention was needed: a translator that must put a sentence into one vector gets worse as sentences grow.

import { make } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { randomMatrix } from '../random.js';

const kWords = ['the', 'old', 'man', 'opened', 'the', 'window'];

/** @type {import('../presets.js').Preset} */
export const bottleneck = {
  id: 'bottleneck',
  title: 'One vector is too few',
  about: [
    'The first neural translators read a sentence into one vector, and wrote the translation from it. The plot shows six small models of this site by the length of the sentence. Luong’s, with attention, stay far above the one without at every length. (The Transformer among them was trained too briefly; the link below says more.)',
    'Below, the decoder asks for one word at a time. Each query makes a context vector of its own, so nothing has to fit into one vector for the whole sentence.',
  ],
  equations: ['\\text{without}: \\c{c} = h_n', '\\text{with}: \\c{c_t} = ∑_j \\w{a_{tj}} \\v{h_j}'],
  papers: [papers.sutskever, papers.bahdanau],
  state: () => ({
    query: randomMatrix(91, 4, 4, 1.6),
    queryNames: ['t = 0', 't = 1', 't = 2', 't = 3'],
    key: randomMatrix(92, kWords.length, 4, 1.2),
    keyNames: kWords,
    memory: 'one',
  }),
  scene: () => ({
    node: make(
      'figure.measured',
      {},
      make('img', {
        src: 'docs/claims/length.svg',
        alt: 'BLEU by the length of the sentence: all fall as sentences grow; Luong’s models fall from 18 to 12, the model without attention from 4 to 2.',
        width: 720,
        height: 400,
      }),
      make(
        'figcaption.caption',
        {},
        'Measured on models of this site, trained alike. ',
        make('a', { href: 'docs/claims.html' }, 'How, and the numbers'),
      ),
    ),
    show() {},
  }),
};
