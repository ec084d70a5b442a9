// Makes the files of an OPUS-MT model as they were first published, from tests/goldens/marian/self-attention-f32.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npy, spmPieces, tensorsOf, vocabularyYaml } from '../npz.js';
import { at } from './support.js';
import { zip } from './zip.js';

const kGolden = at('tests/goldens/marian/self-attention-f32');
export const kWeights = 'opus.spm32k-spm32k.transformer.model1.npz.best-perplexity.npz';
export const kRows = 'opus.spm32k-spm32k.vocab.yml';
const kDecoder = `models:\n  - /home/x/${kWeights}\nvocabs:\n  - ${kRows}\n  - ${kRows}\nbeam-size: 6\nnormalize: 0.6\n`;

const bytes = (text) => new TextEncoder().encode(text);
const spm = new Uint8Array(readFileSync(join(kGolden, 'vocab.xxyy.spm')));
/** The tensors, as .npy. */
export const members = Object.fromEntries(
  tensorsOf(readFileSync(join(kGolden, 'model.xxyy.bin'))).map((tensor) => [`${tensor.name}.npy`, npy(tensor)]),
);
/** The files. */
export const opus = {
  [kWeights]: zip(members),
  [kRows]: bytes(vocabularyYaml(spmPieces(Buffer.from(spm)))),
  'source.spm': spm,
  'target.spm': spm,
  'decoder.yml': bytes(kDecoder),
};
