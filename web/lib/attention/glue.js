// The glue that Emscripten makes for the attention family; the same for both builds.
export { default } from '../../../build/wasm/baseline/attention.mjs';
