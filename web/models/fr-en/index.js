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
    'generation_config.json': 205,
    'model.safetensors': 4111144,
    'source.spm.packed': 203491,
  },
  /** SHA-256. */
  hashes: {
    'config.json': '20fc25c9712aa00ede15463ee063df6992cf5a467380d55be440f4120124b55c',
    'generation_config.json': '7a89747c89a596ef69b065db582827ec163c73ea6733e17ac19b07f3a452936f',
    'model.safetensors': '8311446a5d0f1a4c6384b695ae51326ce0a61a08826f90c8f063d5039ce7d65e',
    'source.spm.packed': '0699b00a2d24b9902dee127fd985c14d53dc1f5fec5a50a395720db183f5ebc5',
  },
};
