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
    'generation_config.json': 197,
    'model.safetensors': 4111144,
    'source.spm.packed': 203491,
  },
  /** SHA-256. */
  hashes: {
    'config.json': '20fc25c9712aa00ede15463ee063df6992cf5a467380d55be440f4120124b55c',
    'generation_config.json': '8f07dd18fa2434aac3ff7dc46057269fe321eba0e986e9965e56ade0c6d4645e',
    'model.safetensors': 'd6f258e85798128ed71d74149c497809e1431130b1af8a1b1113e1f942c9a823',
    'source.spm.packed': '0699b00a2d24b9902dee127fd985c14d53dc1f5fec5a50a395720db183f5ebc5',
  },
};
