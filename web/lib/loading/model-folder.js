// The files of a model folder in MarianMT's layout.

/** The small files of a model folder, which are read whole before the weights are streamed. */
export const smallFiles = [
  { name: 'config.json', isRequired: true },
  { name: 'generation_config.json', isRequired: false },
  { name: 'vocab.json', isRequired: true }, // see isOptional
  { name: 'source.spm', isRequired: true },
  { name: 'target.spm', isRequired: false }, // absent: both sides use the source's
  { name: 'shortlist.bin', isRequired: false }, // absent: every piece may be written
];
export const weightsFile = 'model.safetensors';

/**
 * Whether a small file may be absent. A list of files may leave out vocab.json: then the model's rows are the pieces of
 * source.spm, and <pad>. In a folder on a server its absence is more often a mistake.
 * @param {string} name
 * @param {boolean} isListed whether the model's files are listed
 */
export const isOptional = (name, isListed) =>
  (isListed && name === 'vocab.json') || !smallFiles.some((file) => file.name === name && file.isRequired);

/** Whether a file may belong to a model folder of the translating engine. @param {string} file */
export const isFolderFile = (file) =>
  [weightsFile, 'target_vocab.json', ...smallFiles.map(({ name }) => name)].includes(file);

/** Whether it is a recurrent model, which only the engine of qkv/models runs. @param {string} config the text of config.json */
export const isRecurrent = (config) => /"model_type"\s*:\s*"qkv-rnn"/.test(config);

/** The field that the error names when the engine that translates refuses a recurrent model. */
export const kRecurrentModel = 'model_type of a recurrent model';

/**
 * Whether source and target have different vocabularies; then the target's is target_vocab.json. False if the text is not
 * JSON: the core reads it next and reports that.
 * @param {string} config the text of config.json
 */
export function hasTwoVocabularies(config) {
  try {
    return JSON.parse(config)?.share_encoder_decoder_embeddings === false;
  } catch {
    return false;
  }
}
