// qkv's Trainer from the package, as the page Lab uses it; in a page it trains in its worker.

import { config, reversals } from '../models/lab.mjs';

/** @param {import('./session.mjs').Host} host */
export async function open(host) {
  const { Trainer } = await import(host.url(`${host.builds.package}/train.js`));

  /** @param {import('../workloads.mjs').Train} work */
  async function prepare({ updates, rows }) {
    const pairs = reversals();
    const trainer = await Trainer.create({ pairs, config });
    const [source, target] = pairs[0];
    const { loss } = await trainer.attentionGradient({ source, target });
    const { tokens } = await trainer.run({ steps: 1 });
    if (tokens !== rows) throw new Error(`${tokens} rows in a batch instead of ${rows}`);
    const run = () => trainer.run({ steps: updates });
    return { run, output: () => Float32Array.of(loss), words: updates * rows, release: () => trainer.destroy() };
  }
  return { prepare };
}
