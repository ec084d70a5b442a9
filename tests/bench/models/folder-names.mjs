// The paths of the folders that models/folder.mjs writes, for pages too.

/** Below the repository's root. @param {string} model @param {string} precision */
export const folderOf = (model, precision) => `build/bench/${model}-${precision}`;

/** Of a model of brought.mjs: its file has floats. @param {string} model */
export const broughtFolder = (model) => folderOf(model, 'f32');

/** All files of a folder that an engine may ask for. */
export const folderFiles = [
  'config.json',
  'generation_config.json',
  'vocab.json',
  'source.spm',
  'shortlist.bin',
  'model.safetensors',
];
