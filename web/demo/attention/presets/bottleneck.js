// Why attention was needed: a translator that must put a sentence into one vector gets worse as sentences grow.

import { make } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { randomMatrix } from '../random.js';
import { texts } from '../texts.js';

const kWords = ['the', 'old', 'man', 'opened', 'the', 'window'];

/** @type {import('../presets.js').Preset} */
export const bottleneck = {
  id: 'bottleneck',
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
        alt: texts.lessons.bottleneck.plot,
        width: 720,
        height: 400,
      }),
      make(
        'figcaption.caption',
        {},
        texts.lessons.bottleneck.measured,
        make('a', { href: 'docs/claims.html' }, texts.lessons.bottleneck.how),
      ),
    ),
    show() {},
  }),
};
