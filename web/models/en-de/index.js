// Where the model's files are: each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.
export default {
  name: 'en-de',
  sourceLanguage: 'en',
  targetLanguage: 'de',
  files: {
    'config.json': new URL('./config.json', import.meta.url).href,
    'generation_config.json': new URL('./generation_config.json', import.meta.url).href,
    'model.safetensors': new URL('./model.safetensors', import.meta.url).href,
    'source.spm': new URL('./source.spm', import.meta.url).href,
    'vocab.json': new URL('./vocab.json', import.meta.url).href,
  },
  /** In bytes. */
  sizes: {
    'config.json': 812,
    'generation_config.json': 205,
    'model.safetensors': 7528752,
    'source.spm': 376300,
    'vocab.json': 128557,
  },
};
