// Why attention was needed: a translator that puts a sentence into one vector gets worse with longer sentences.

import { button, make } from '../../shared/dom.js';
import { measured } from '../measured.js';
import { papers } from '../papers.js';
import { randomMatrix } from '../random.js';
import { texts } from '../texts.js';

const kWords = ['the', 'old', 'man', 'opened', 'the', 'window'];

/** Sentences of growing length, each with a good translation. */
const kSentences = [
  ['I love you.', 'Je t’aime.'],
  ['My brother lives in a big white house.', 'Mon frère vit dans une grande maison blanche.'],
  [
    'I lost my keys this morning, so I could not open the door.',
    'J’ai perdu mes clés ce matin, alors je n’ai pas pu ouvrir la porte.',
  ],
  [
    'When I was young, I lived in a small house near the river, and every day after school I played with my brother.',
    'Quand j’étais jeune, je vivais dans une petite maison près de la rivière, et chaque jour après l’école je jouais avec mon frère.',
  ],
];

/** The models of the two columns: without attention and with it. */
const kModels = ['plain', 'luong-general'];

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
      'div.picture.stacked',
      {},
      measured(texts.lessons.bottleneck, { part: 'length', height: 420 }),
      liveComparison(),
    ),
    show() {},
  }),
};

/** A button that translates the sentences with both models, and their table. */
function liveComparison() {
  const own = texts.lessons.bottleneck;
  const message = make('span.caption', { role: 'status' });
  const room = make('div.wide', { tabIndex: 0, role: 'group', 'aria-label': own.table, hidden: true });
  const start = button(own.live, async () => {
    start.disabled = true;
    try {
      const rows = await translated((share) => (message.textContent = own.loading(Math.round(100 * share))));
      room.replaceChildren(tableOf(rows));
      room.hidden = false;
      start.hidden = true;
      message.textContent = '';
    } catch (error) {
      message.textContent = own.failed(/** @type {Error} */ (error).message);
      start.disabled = false; // so that the reader can try again
    }
  });
  return make('div.live', {}, make('div.row', {}, start, message), room);
}

/**
 * The translations of each sentence by the two models.
 * @param {(share: number) => void} loaded
 * @returns {Promise<string[][]>}
 */
async function translated(loaded) {
  const { Translator } = await import('../../../lib/index.js');
  const shares = kModels.map(() => 0);
  const translators = await Promise.all(
    kModels.map((id, i) =>
      Translator.create({
        sourceLanguage: 'en',
        targetLanguage: 'fr',
        model: `models/compared/${id}/`,
        monitor: (/** @type {EventTarget} */ progress) =>
          progress.addEventListener('downloadprogress', (event) => {
            shares[i] = /** @type {any} */ (event).loaded;
            loaded((shares[0] + shares[1]) / 2);
          }),
      }),
    ),
  );
  const rows = kSentences.map(([source]) => Promise.all(translators.map((one) => one.translate(source))));
  return Promise.all(rows).finally(() => translators.forEach((one) => one.destroy()));
}

/** @param {string[][]} rows */
function tableOf(rows) {
  const own = texts.lessons.bottleneck;
  const head = make('tr', {}, ...own.columns.map((name) => make('th', { scope: 'col' }, name)));
  const body = kSentences.map(([source, good], i) => {
    const cells = rows[i].map((text) => {
      const found = own.right(wordsInCommon(text, good), wordsOf(good).length);
      return make('td', {}, make('span', { lang: 'fr' }, text), make('small', {}, found));
    });
    const count = make('td', {}, String(wordsOf(source).length));
    return make('tr', {}, count, make('td', { lang: 'en' }, source), ...cells);
  });
  return make('table.compared.sentences', {}, make('thead', {}, head), make('tbody', {}, ...body));
}

/** @param {string} text @returns {string[]} */
const wordsOf = (text) => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/** How many words of a good translation are in a text. A repeated word counts at most as often as the good translation has it. @param {string} text @param {string} good */
export function wordsInCommon(text, good) {
  const left = wordsOf(text);
  return wordsOf(good).filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
}
