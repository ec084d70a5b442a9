// Where the model's files are: each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.
export default {
  name: 'de-en',
  sourceLanguage: 'de',
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
    'generation_config.json': 222,
    'model.safetensors': 4111144,
    'source.spm.packed': 205528,
  },
  /** SHA-256. */
  hashes: {
    'config.json': '20fc25c9712aa00ede15463ee063df6992cf5a467380d55be440f4120124b55c',
    'generation_config.json': 'c650915a3bc6fb56da1c726842de5d85c80dd89ef1a53e6d737a8ad07d246d19',
    'model.safetensors': '9d411530e72e9003a22fdf7feff91c71c092eb8aa5f48092c25505c117b99b0f',
    'source.spm.packed': 'eac17fbfefd832a6a3642e6aea21d32ac7636bd1a9b0b1503b257271c17772e4',
  },
};
