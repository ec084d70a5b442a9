// Where the model's files are: each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.
export default {
  name: 'es-en',
  sourceLanguage: 'es',
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
    'source.spm.packed': 203418,
  },
  /** SHA-256. */
  hashes: {
    'config.json': '20fc25c9712aa00ede15463ee063df6992cf5a467380d55be440f4120124b55c',
    'generation_config.json': '204506236a6e7dbd42ce589c5fd656b4b2bae20e96b0fe4222da9fca9fbcc187',
    'model.safetensors': '9c40f1c7fd01c48b8885473fe30f688d6f79141dbdd6b719bd8dc0703eed92bb',
    'source.spm.packed': 'cb3b9be480bfc10e5fe0e24cb9b37f7f7c367b1366380a8a7f4acd6ed4fa4970',
  },
};
