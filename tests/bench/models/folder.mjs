// Model folders on disk, as users have them: below build/bench/, written when they are missing or out of date.

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { at, say } from '../../../web/tools/common.mjs';
import { architectures } from './architectures.mjs';
import { folderOf } from './folder-names.mjs';
import * as marianMt from './marian-mt.mjs';
import * as rnn from './rnn.mjs';
import { safetensors } from './safetensors.mjs';
import { shortlistFile } from './shortlist.mjs';
import { makeVocabulary, normalizerOf, spm, vocabJson } from './vocabulary.mjs';

/** The sources that decide what folders contain. */
function sourcesHash() {
  const here = at('tests', 'bench');
  const files = readdirSync(join(here, 'models')).map((name) => join(here, 'models', name));
  const hash = createHash('sha256');
  for (const file of [...files.toSorted(), join(here, 'random.mjs')]) hash.update(readFileSync(file));
  return hash.digest('hex');
}

/**
 * Makes sure that a folder exists.
 * @param {string} model of architectures.mjs
 * @param {'f32' | 'int8'} precision
 */
export function ensureFolder(model, precision) {
  const folder = at(...folderOf(model, precision).split('/'));
  const stamp = join(folder, 'sources.sha256');
  const sources = sourcesHash();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  say(`model: ${model}, ${precision}`);
  mkdirSync(folder, { recursive: true });
  writeFolder(folder, architectures[model], precision);
  writeFileSync(stamp, sources);
}

function writeFolder(folder, shape, precision) {
  const json = (name, value) => writeFileSync(join(folder, name), JSON.stringify(value));
  const { config, tensors } = 'recurrent' in shape ? rnn : marianMt;
  const vocabulary = makeVocabulary(shape.vocabulary);
  const normalizer = normalizerOf(readFileSync(at('web', 'models', 'en-fr', 'source.spm')));
  json('config.json', config(shape));
  json('generation_config.json', marianMt.generationConfig());
  json('vocab.json', vocabJson(vocabulary));
  writeFileSync(join(folder, 'source.spm'), spm(vocabulary, normalizer));
  writeFileSync(join(folder, 'shortlist.bin'), shortlistFile(shape.vocabulary));
  const file = openSync(join(folder, 'model.safetensors'), 'w');
  for (const part of safetensors(tensors(shape), precision)) writeSync(file, part);
  closeSync(file);
}
