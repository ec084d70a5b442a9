// qkv through its public API, 'qkv/attention': what a user of the package calls, with all its costs.

import { additiveParameters, attentionInputs } from '../inputs.mjs';

/**
 * @param {import('./session.mjs').Host} host
 * @param {{build: 'baseline' | 'relaxed'}} options
 */
export async function open(host, { build }) {
  const { attention, loadAttention } = await import(host.url('web/lib/attention/index.js'));
  await loadAttention({ wasm: build });

  /** @param {import('../workloads.mjs').Attention} work */
  function prepare(work) {
    const shape = [work.heads, work.length, work.dim];
    const { query, key, value } = attentionInputs(work);
    const request = {
      query: { data: query, shape },
      key: { data: key, shape },
      value: { data: value, shape },
      score: work.score,
      mask: { causal: work.causal },
      ...(work.score === 'additive' && { parameters: additiveParameters(work) }),
      record: [],
    };
    const run = () => attention(request);
    return { run, output: async () => (await run()).output.data };
  }
  return { prepare };
}
