// Where the package's own files are. Each is one literal `new URL(..., import.meta.url)`, which bundlers know how to follow.

/** The builds of the engine that run everywhere, and wherever there is relaxed SIMD. */
export const wasmUrls = () => ({
  baseline: new URL('../../build/wasm/baseline/qkv.wasm', import.meta.url).href,
  relaxed: new URL('../../build/wasm/relaxed/qkv.wasm', import.meta.url).href,
});

/** The build with threads, and the glue of its own that it needs. */
export const threadsUrls = () => ({
  wasm: new URL('../../build/wasm/threads/qkv.wasm', import.meta.url).href,
  glue: new URL('../../build/wasm/threads/qkv.mjs', import.meta.url).href,
});

/** The models that come with the package, by their pair of languages. Each is fetched only where it is asked for. */
export const packageModels = {
  'en-fr': () => ({
    'config.json': new URL('../models/en-fr/config.json', import.meta.url).href,
    'generation_config.json': new URL('../models/en-fr/generation_config.json', import.meta.url).href,
    'vocab.json': new URL('../models/en-fr/vocab.json', import.meta.url).href,
    'source.spm': new URL('../models/en-fr/source.spm', import.meta.url).href,
    'model.safetensors': new URL('../models/en-fr/model.safetensors', import.meta.url).href,
  }),
  'en-de': () => ({
    'config.json': new URL('../models/en-de/config.json', import.meta.url).href,
    'generation_config.json': new URL('../models/en-de/generation_config.json', import.meta.url).href,
    'vocab.json': new URL('../models/en-de/vocab.json', import.meta.url).href,
    'source.spm': new URL('../models/en-de/source.spm', import.meta.url).href,
    'model.safetensors': new URL('../models/en-de/model.safetensors', import.meta.url).href,
  }),
  'en-es': () => ({
    'config.json': new URL('../models/en-es/config.json', import.meta.url).href,
    'generation_config.json': new URL('../models/en-es/generation_config.json', import.meta.url).href,
    'vocab.json': new URL('../models/en-es/vocab.json', import.meta.url).href,
    'source.spm': new URL('../models/en-es/source.spm', import.meta.url).href,
    'model.safetensors': new URL('../models/en-es/model.safetensors', import.meta.url).href,
  }),
};
