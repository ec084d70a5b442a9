// Models that people bring, by `qkv/models` as a user has it: text in, in a page from its worker.

import { makeText } from '../models/bert.mjs';
import { brought } from '../models/brought.mjs';
import { broughtFolder } from '../models/folder-names.mjs';
import { makePrompt } from '../models/gpt2.mjs';

const kNumbers = { f32: 'float', int8: 'int8' };

/**
 * @param {import('./session.mjs').Host} host
 * @param {{build?: 'baseline' | 'relaxed', threads?: number}} options
 */
export async function open(host, { build, threads }) {
  const { Encoder, Generator } = await import(host.url(`${host.builds.package}/models.js`));
  const options = (work) => ({ wasm: build, threads, numbers: kNumbers[work.precision] });
  const checkThreads = ({ info }) => {
    if (threads && info.threads !== threads) throw new Error(`${info.threads} threads compute`);
  };
  const folder = (work) => host.url(`${broughtFolder(work.model)}/`);

  /** @param {import('../workloads.mjs').Encode} work */
  async function prepareEncode(work) {
    const encoder = await Encoder.load(folder(work), options(work));
    checkThreads(encoder);
    const texts = work.lengths.map((length, number) => makeText(brought[work.model], length, number).text);
    const all = async () => {
      let last;
      for (const text of texts) last = await encoder.encode(text);
      return last;
    };
    const { ids } = await all();
    if (ids.length !== work.lengths.at(-1)) throw new Error(`${ids.length} pieces instead of ${work.lengths.at(-1)}`);
    const words = work.lengths.reduce((sum, length) => sum + length, 0);
    return { run: all, output: async () => (await all()).vectors.data, words, release: () => encoder.destroy() };
  }

  /**
   * One piece at a time, as the peers do, unless drafts are what is measured.
   * @param {import('../workloads.mjs').Generate} work
   * @param {string} [variant]
   */
  async function prepareGenerate(work, variant) {
    const generator = await Generator.load(folder(work), options(work));
    checkThreads(generator);
    const { text } = makePrompt(work.prompt);
    const drawn = { temperature: work.temperature ?? 0, topK: 0, topP: 1, seed: 2 };
    const how = { ...drawn, maxLength: work.pieces, promptLookup: variant === 'drafts' };
    const run = () => generator.generate(text, how);
    const output = async () => {
      if (work.text) return (await run()).logProbs;
      const { ids, logProbs } = await generator.trace(text);
      if (ids.length !== work.prompt) throw new Error(`${ids.length} pieces instead of ${work.prompt}`);
      return logProbs;
    };
    const { ids } = await run();
    if (ids.length !== work.pieces) throw new Error(`${ids.length} pieces instead of ${work.pieces}`);
    const words = work.pieces === 1 ? work.prompt : work.pieces;
    return { run, output, words, release: () => generator.destroy() };
  }
  return {
    prepare: (work, variant) => (work.kind === 'encode' ? prepareEncode(work) : prepareGenerate(work, variant)),
  };
}
