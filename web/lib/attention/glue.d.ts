// The functions of the module of the attention family: wasm/attention.cc, wasm/positions.cc. The shape of a tensor is
// [heads, rows, columns].
export { default } from '../engine/glue.js';
