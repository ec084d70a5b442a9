// The glue that Emscripten makes; both builds have the same. Its types are in glue.d.ts.
export { default } from '../../../build/wasm/baseline/qkv.mjs';
