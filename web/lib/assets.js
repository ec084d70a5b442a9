// Where the package's own files are. Each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.

/** The two builds of the engine. */
export const wasmUrls = () => ({
  baseline: new URL('../../build/wasm/baseline/qkv.wasm', import.meta.url).href,
  relaxed: new URL('../../build/wasm/relaxed/qkv.wasm', import.meta.url).href,
});

/** The model that comes with the package, English to French. */
export const defaultModel = () => ({
  'config.json': new URL('../models/en-fr/config.json', import.meta.url).href,
  'generation_config.json': new URL('../models/en-fr/generation_config.json', import.meta.url).href,
  'vocab.json': new URL('../models/en-fr/vocab.json', import.meta.url).href,
  'source.spm': new URL('../models/en-fr/source.spm', import.meta.url).href,
  'model.safetensors': new URL('../models/en-fr/model.safetensors', import.meta.url).href,
});
