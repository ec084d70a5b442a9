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
    'generation_config.json': 'c0c9f42ff48a366930b6f1af468a23f18d7f6e4ae16541f56c3c35f625958892',
    'model.safetensors': '8d7eb647848ffc7b506043e7fe7c6c1ddc17c7e626b40b9d0b4cd554cade44f6',
    'source.spm.packed': 'cb3b9be480bfc10e5fe0e24cb9b37f7f7c367b1366380a8a7f4acd6ed4fa4970',
  },
};
