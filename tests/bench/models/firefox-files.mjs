// Writes a model of random weights in the files and the shape that Firefox's smallest models have.
//
// usage: node firefox-files.mjs FOLDER

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../../web/tools/common.mjs';
import { architectures } from './architectures.mjs';
import { marianModel } from './marian.mjs';
import { shortlistFile } from './shortlist.mjs';
import { makeVocabulary, normalizerOf, spm } from './vocabulary.mjs';

const [folder] = process.argv.slice(2);
const { tiny } = architectures;
const normalizer = normalizerOf(readFileSync(at('web', 'models', 'en-fr', 'source.spm')));
writeFileSync(join(folder, 'model.enfr.intgemm.alphas.bin'), marianModel(tiny, 'ssru'));
writeFileSync(join(folder, 'vocab.enfr.spm'), spm(makeVocabulary(tiny.vocabulary), normalizer));
writeFileSync(join(folder, 'lex.50.50.enfr.s2t.bin'), shortlistFile(tiny.vocabulary));
