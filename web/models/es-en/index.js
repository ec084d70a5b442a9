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
    'generation_config.json': 222,
    'model.safetensors': 7003712,
    'source.spm.packed': 203418,
  },
  /** SHA-256. */
  hashes: {
    'config.json': 'd536846b30201137540fb42374faaa196d970a554f2a2d1f6dee46dd8bf5a01f',
    'generation_config.json': 'c650915a3bc6fb56da1c726842de5d85c80dd89ef1a53e6d737a8ad07d246d19',
    'model.safetensors': '5ae0f634acf236f4f157e5abefe328126aed7fefcd6779f7adcdf18d97b56bd6',
    'source.spm.packed': 'cb3b9be480bfc10e5fe0e24cb9b37f7f7c367b1366380a8a7f4acd6ed4fa4970',
  },
};
