// Where the model's files are: each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.
export default {
  name: 'en-de',
  sourceLanguage: 'en',
  targetLanguage: 'de',
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
    'model.safetensors': 7003712,
    'source.spm.packed': 205528,
  },
  /** SHA-256. */
  hashes: {
    'config.json': 'd536846b30201137540fb42374faaa196d970a554f2a2d1f6dee46dd8bf5a01f',
    'generation_config.json': '204506236a6e7dbd42ce589c5fd656b4b2bae20e96b0fe4222da9fca9fbcc187',
    'model.safetensors': '806c497feb883ce28b2beff72b7c1b7ab971f8636f3e639016dacb96385460d7',
    'source.spm.packed': 'eac17fbfefd832a6a3642e6aea21d32ac7636bd1a9b0b1503b257271c17772e4',
  },
};
