// The glue that Emscripten makes for the builds for qkv/models; both builds have the same. Its types are in glue.d.ts.
export { default } from '../../../../build/wasm/baseline/models.mjs';
