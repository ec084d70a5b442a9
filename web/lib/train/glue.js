// The glue that Emscripten makes for the build that trains. Its types are in glue.d.ts.
export { default } from '../../../build/wasm/train/qkv.mjs';
