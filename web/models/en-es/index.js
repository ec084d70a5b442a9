// Where the model's files are: each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.
export default {
  name: 'en-es',
  sourceLanguage: 'en',
  targetLanguage: 'es',
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
    'model.safetensors': 7003712,
    'source.spm.packed': 203418,
  },
  /** SHA-256. */
  hashes: {
    'config.json': 'd536846b30201137540fb42374faaa196d970a554f2a2d1f6dee46dd8bf5a01f',
    'generation_config.json': 'f1fcef02bf0eea67b59f0ab888129943bc98e0bc8e295a5d0496a30e76469d44',
    'model.safetensors': '57b662f79b252b04de7cf3c61cf266a653d95721bd6d16f142475f54adbba4d8',
    'source.spm.packed': 'cb3b9be480bfc10e5fe0e24cb9b37f7f7c367b1366380a8a7f4acd6ed4fa4970',
  },
};
