// How often two models choose the same piece. OTHER translates each line greedily. MODEL is forced along that
// translation and reports at every step the piece that it would have written.
//
// usage: node forced.mjs MODEL OTHER < LINES      two folders; prints {pieces, equal}

import { createInterface } from 'node:readline';
import { Translator } from '../../web/lib/index.js';

const [model, other] = await Promise.all(
  process.argv
    .slice(2)
    .map((folder) => Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model: folder, beam: 1 })),
);
let pieces = 0;
let equal = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { hypotheses } = await other.search(line);
  const { target, alternatives } = await model.trace(line, { prefix: hypotheses[0].ids });
  pieces += target.ids.length;
  equal += target.ids.filter((id, step) => id === alternatives.ids[step * alternatives.count]).length;
}
console.log(JSON.stringify({ pieces, equal }));
