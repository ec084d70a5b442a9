// Where the model's files are: each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.
export default {
  name: 'en-fr',
  sourceLanguage: 'en',
  targetLanguage: 'fr',
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
    'generation_config.json': 213,
    'model.safetensors': 4111144,
    'source.spm': 380266,
    'vocab.json': 148385,
  },
  /** SHA-256. */
  hashes: {
    'config.json': '20fc25c9712aa00ede15463ee063df6992cf5a467380d55be440f4120124b55c',
    'generation_config.json': '9654684bc4f8cf4119d4e475bab522a51c34a58354ea041bd1be4c5f1eaaf08a',
    'model.safetensors': 'ae298361b656d9fb59bfca5924af7086f82eb5a50062b792fb75316686106373',
    'source.spm': 'df7f0f457aa6b7d9405a5b3180d806a1119a7dc1a55336981783525948430208',
    'vocab.json': '6e43de01533b52e9b2653a45883722d0529c4ca85fce185591d6af711d104951',
  },
};
