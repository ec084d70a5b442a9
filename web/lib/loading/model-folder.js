// The files of a model folder in MarianMT's layout.

/** The files of a model folder that are read first, whole. The weights come last and are streamed. */
export const smallFiles = [
  { name: 'config.json', isRequired: true },
  { name: 'generation_config.json', isRequired: false },
  { name: 'vocab.json', isRequired: true },
  { name: 'source.spm', isRequired: true },
  { name: 'target.spm', isRequired: false }, // absent: the source's serves both
  { name: 'shortlist.bin', isRequired: false }, // absent: every piece may be written
];
export const weightsFile = 'model.safetensors';

/** Whether a file may be of a model folder that the translating engine reads. @param {string} file */
export const isFolderFile = (file) =>
  [weightsFile, 'target_vocab.json', ...smallFiles.map(({ name }) => name)].includes(file);

/**
 * Whether each side has pieces of its own: then the target's are in target_vocab.json. A text that is no JSON has not: the
 * core, which reads it next, says what is wrong with it.
 * @param {string} config the text of config.json
 */
export function hasTwoVocabularies(config) {
  try {
    return JSON.parse(config)?.share_encoder_decoder_embeddings === false;
  } catch {
    return false;
  }
}
