// The glue that Emscripten makes for the attention family; both builds have the same.
export { default } from '../../../build/wasm/baseline/attention.mjs';
