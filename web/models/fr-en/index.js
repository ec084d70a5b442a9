// Where the model's files are: each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.
export default {
  name: 'fr-en',
  sourceLanguage: 'fr',
  targetLanguage: 'en',
  files: {
    'config.json': new URL('./config.json', import.meta.url).href,
    'generation_config.json': new URL('./generation_config.json', import.meta.url).href,
    'model.safetensors': new URL('./model.safetensors', import.meta.url).href,
    'source.spm.packed': new URL('./source.spm.packed', import.meta.url).href,
  },
  /** In bytes. */
  sizes: {
    'config.json': 812,
    'generation_config.json': 230,
    'model.safetensors': 4111144,
    'source.spm.packed': 203491,
  },
  /** SHA-256. */
  hashes: {
    'config.json': '20fc25c9712aa00ede15463ee063df6992cf5a467380d55be440f4120124b55c',
    'generation_config.json': '7f095814b628648ce95ff9e9af7932b3d4a63ec6b82fb8dad621d31e131ac909',
    'model.safetensors': 'e4201443c254dbebf880f1d5cb13bb619c55bb9fe7880318cbb11b93e4816f0c',
    'source.spm.packed': '0699b00a2d24b9902dee127fd985c14d53dc1f5fec5a50a395720db183f5ebc5',
  },
};
