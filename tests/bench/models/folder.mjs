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
import { brought, kinds } from './brought.mjs';
import { broughtFolder, folderOf } from './folder-names.mjs';
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
 * @param {string} model of architectures.mjs or brought.mjs
 * @param {'f32' | 'int8'} precision
 */
export function ensureFolder(model, precision) {
  const folder = at(...(model in brought ? broughtFolder(model) : folderOf(model, precision)).split('/'));
  const stamp = join(folder, 'sources.sha256');
  const sources = sourcesHash();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  say(`model: ${model}, ${precision}`);
  mkdirSync(folder, { recursive: true });
  if (model in brought) writeBrought(folder, brought[model]);
  else writeFolder(folder, architectures[model], precision);
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
  writeWeights(folder, tensors(shape), precision);
}

/** Such models are published as floats; who loads them says what they become. */
function writeBrought(folder, shape) {
  const { config, tokenizerFiles, tensors } = kinds[shape.kind];
  const files = { 'config.json': JSON.stringify(config(shape)), ...tokenizerFiles(shape) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeWeights(folder, tensors(shape), 'f32');
}

function writeWeights(folder, tensors, precision) {
  const file = openSync(join(folder, 'model.safetensors'), 'w');
  for (const part of safetensors(tensors, precision)) writeSync(file, part);
  closeSync(file);
}
