// Where the model's files are: each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.
export default {
  name: 'en-es',
  sourceLanguage: 'en',
  targetLanguage: 'es',
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
    'source.spm': 377122,
    'vocab.json': 129381,
  },
  /** SHA-256. */
  hashes: {
    'config.json': '20fc25c9712aa00ede15463ee063df6992cf5a467380d55be440f4120124b55c',
    'generation_config.json': 'c0c9f42ff48a366930b6f1af468a23f18d7f6e4ae16541f56c3c35f625958892',
    'model.safetensors': 'a0d3c55ce0bbbfce74a4332f696191b78dc1c645af9fd2ea03a2544756e2bb95',
    'source.spm': 'd05692eef086db12e65b0a0f014c9442e90026a7d35db1308d8e1138cc082a15',
    'vocab.json': 'f0629131173c94128c4881839f4246eab7e45d4bdaabdb2d83c4fd5a27036ec6',
  },
};
