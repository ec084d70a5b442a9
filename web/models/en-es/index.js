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
    'generation_config.json': 205,
    'model.safetensors': 4111144,
    'source.spm.packed': 203418,
  },
  /** SHA-256. */
  hashes: {
    'config.json': '20fc25c9712aa00ede15463ee063df6992cf5a467380d55be440f4120124b55c',
    'generation_config.json': 'a10a253e927527a5e19877979e8596242464beb10aa6289a6b906a78e9e5b24a',
    'model.safetensors': 'c6e64ede297655f93a5f9e84c50cab700305b49a9e05dd5fe2303eb4604468f3',
    'source.spm.packed': 'cb3b9be480bfc10e5fe0e24cb9b37f7f7c367b1366380a8a7f4acd6ed4fa4970',
  },
};
