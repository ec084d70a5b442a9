// The glue that Emscripten makes; the same for both builds. Its types are in glue.d.ts.
export { default } from '../../../build/wasm/baseline/qkv.mjs';
