// wllama, llama.cpp in WebAssembly, in a page: a prompt and what follows it, greedily, with weights in Q8_0.

import { brought } from '../models/brought.mjs';
import { broughtFolder } from '../models/folder-names.mjs';
import { gguf } from '../models/gguf.mjs';
import { makePrompt } from '../models/gpt2.mjs';

const kFolder = 'tests/bench/node_modules/@wllama/wllama/esm/';
const kTolerance = 0.1; // of a log-probability, in 8 bits

/**
 * @param {import('./session.mjs').Host} host
 * @param {{threads: number}} options
 */
export async function open(host, { threads }) {
  const { Wllama, LoggerWithoutDebug } = await import(host.url(`${kFolder}index.js`));

  /** @param {import('../workloads.mjs').Generate} work */
  async function prepare(work) {
    const wllama = new Wllama(
      { default: host.url(`${kFolder}wasm/wllama.wasm`) },
      { suppressNativeLog: true, logger: LoggerWithoutDebug },
    );
    await wllama.loadModel([new Blob(gguf(brought[work.model]))], {
      n_ctx: 512,
      n_parallel: 1,
      n_threads: threads,
      n_gpu_layers: 0,
    });
    const { text } = makePrompt(work.prompt);
    const complete = (options) =>
      wllama.createCompletion({
        prompt: text,
        max_tokens: work.pieces,
        temperature: 0,
        cache_prompt: false,
        ...options,
      });
    const { usage } = await complete();
    if (usage.prompt_tokens !== work.prompt || usage.completion_tokens !== work.pieces) {
      throw new Error(`${usage.prompt_tokens} and ${usage.completion_tokens} pieces`);
    }
    await expectNext(host, work, await complete({ max_tokens: 1, logprobs: 1 }));
    const words = work.pieces === 1 ? work.prompt : work.pieces;
    return { run: () => complete(), words, release: () => wllama.exit() };
  }
  return { prepare };
}

/** Its likeliest next piece is qkv's, and about as likely: it gives no log-probabilities of a prompt to compare. */
async function expectNext(host, work, { choices }) {
  const { Generator } = await import(host.url(`${host.builds.package}/models.js`));
  const generator = await Generator.load(host.url(`${broughtFolder(work.model)}/`), { numbers: 'int8' });
  const { ids, logProbs } = await generator.next(makePrompt(work.prompt).text, { count: 1 });
  generator.destroy();
  const { id, logprob } = choices[0].logprobs.content[0];
  if (id !== ids[0] || !(Math.abs(logprob - logProbs[0]) <= kTolerance)) {
    throw new Error(`wllama writes piece ${id} (${logprob}), qkv ${ids[0]} (${logProbs[0]})`);
  }
}
