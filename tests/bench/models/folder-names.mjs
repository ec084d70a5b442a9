// Where the folders that models/folder.mjs writes are, for pages too.

/** Below the repository's root. @param {string} model @param {string} precision */
export const folderOf = (model, precision) => `build/bench/${model}-${precision}`;

/** All that an engine may want of a folder. */
export const folderFiles = [
  'config.json',
  'generation_config.json',
  'vocab.json',
  'source.spm',
  'shortlist.bin',
  'model.safetensors',
];
