// Where the model's files are: each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.
export default {
  name: 'en-fr',
  sourceLanguage: 'en',
  targetLanguage: 'fr',
  files: {
    'config.json': new URL('./config.json', import.meta.url).href,
    'generation_config.json': new URL('./generation_config.json', import.meta.url).href,
    'model.safetensors': new URL('./model.safetensors', import.meta.url).href,
    'source.spm.packed': new URL('./source.spm.packed', import.meta.url).href,
  },
  /** In bytes. */
  sizes: {
    'config.json': 812,
    'generation_config.json': 213,
    'model.safetensors': 4111144,
    'source.spm.packed': 203491,
  },
  /** SHA-256. */
  hashes: {
    'config.json': '20fc25c9712aa00ede15463ee063df6992cf5a467380d55be440f4120124b55c',
    'generation_config.json': '9654684bc4f8cf4119d4e475bab522a51c34a58354ea041bd1be4c5f1eaaf08a',
    'model.safetensors': 'd890e60f80c2fb46656fc2e3ff9ab4bbe3b074f32315bc72e45351459b590142',
    'source.spm.packed': '0699b00a2d24b9902dee127fd985c14d53dc1f5fec5a50a395720db183f5ebc5',
  },
};
