// Where the builds for models that people bring are. Each is one literal `new URL(..., import.meta.url)`, which bundlers
// know how to follow.

export const modelsWasmUrls = () => ({
  baseline: new URL('../../../build/wasm/baseline/models.wasm', import.meta.url).href,
  relaxed: new URL('../../../build/wasm/relaxed/models.wasm', import.meta.url).href,
});
