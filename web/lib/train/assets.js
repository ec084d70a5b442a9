// Where the build that trains is: a literal `new URL(..., import.meta.url)`, which bundlers know how to follow.

export const trainUrl = () => new URL('../../../build/wasm/train/qkv.wasm', import.meta.url).href;
