// The glue that Emscripten makes for the builds for models that people bring; the same for both. Its types are in
// glue.d.ts.
export { default } from '../../../../build/wasm/baseline/models.mjs';
