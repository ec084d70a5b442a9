import { attentionInputs, causalMask, sideBySide } from '../../inputs.mjs';
import { attentionModel } from '../../onnx/attention.mjs';

/**
 * @param {import('../onnxruntime.mjs').Runtime} runtime
 * @param {import('../../workloads.mjs').Attention} work
 * @param {import('../../onnx/attention.mjs').AttentionGraph} graph
 */
export async function prepareAttention({ session, tensor }, work, graph) {
  const { heads, length, dim } = work;
  const attention = await session(attentionModel(graph, work));
  const isSideBySide = graph === 'multi-head';
  const shape = isSideBySide ? [1, length, heads * dim] : [1, heads, length, dim];
  const given = (data) => tensor(isSideBySide ? sideBySide(data, heads, length, dim) : data, shape);
  const { query, key, value } = attentionInputs(work);
  const mask = work.causal && graph === 'plain' && { mask: tensor(causalMask(length), [length, length]) };
  const feeds = { q: given(query), k: given(key), v: given(value), ...mask };
  const run = () => attention.run(feeds);
  const output = async () => {
    const { data } = (await run()).output;
    return isSideBySide ? sideBySide(data, length, heads, dim) : data;
  };
  return { run, output, release: () => attention.release() };
}
