// qkv's core alone, tests/bench/kernels_bench.cc as WebAssembly: what is left when JavaScript and its copies are not counted,
// and the limits that every engine is measured against.

import { kernelName, readSamples } from '../kernels.mjs';

/**
 * @param {import('./desk.mjs').Host} host
 * @param {{build: 'baseline' | 'relaxed'}} options
 */
export async function open(host, { build }) {
  const { default: createBench } = await import(host.url(`build/wasm/${build}/qkv_bench.mjs`));
  let printed = '';
  const bench = await createBench({
    print(line) {
      printed += `${line}\n`;
    },
  });

  /** @param {import('../workloads.mjs').Work} work */
  function prepare(work) {
    const sample = () => {
      printed = '';
      bench.callMain(['--json', kernelName(work)]);
      return readSamples(printed);
    };
    return { sample };
  }
  return { prepare };
}
