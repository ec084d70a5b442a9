// Runs in its own process, since WebAssembly's memory never shrinks. Prints {bytes, milliseconds}.

import { attention, loadAttention } from '../../web/lib/attention/index.js';
import { attentionInputs } from './inputs.mjs';
import { watchMemories } from './watch-memories.mjs';
import { longest } from './workloads.mjs';

const bytes = watchMemories();
await loadAttention({ wasm: 'baseline' });
const { heads, length, dim } = longest;
const { query, key, value } = attentionInputs(longest);
const shape = [heads, length, dim];
const before = bytes();
if (before === 0) throw new Error('the engine was not made by WebAssembly.instantiate: nothing is measured');
const start = performance.now();
const { output } = await attention({
  query: { data: query, shape },
  key: { data: key, shape },
  value: { data: value, shape },
  record: [],
});
const milliseconds = performance.now() - start;
const inputsAndOutput = 4 * query.byteLength;
if (output.data.byteLength !== query.byteLength) throw new Error('the output has another shape than the queries');
console.log(JSON.stringify({ bytes: bytes() - before - inputsAndOutput, milliseconds }));
