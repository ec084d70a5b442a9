// qkv/train in a page: it learns in a worker while the page keeps drawing frames, and its memory does not grow.

import { built, openBrowser } from './chromium.js';

// `npm run test:full` trains the whole task: words of up to 12 letters of 26.
const kFull = process.env.QKV_REVERSAL === 'full';
const kTask = kFull
  ? { letters: 26, longest: 12, pairs: 60_000, unseen: 1000, d: 64, layers: 2, tokens: 2048, steps: 1000, share: 0.99 }
  : { letters: 8, longest: 4, pairs: 1200, unseen: 100, d: 32, layers: 1, tokens: 768, steps: 400, share: 0.9 };

/** Runs in the page. */
async function reverse([task, index]) {
  const { Trainer } = await import(index);
  let seed = 1;
  const random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n) => Math.floor(random() * n);
  const word = () =>
    Array.from({ length: 1 + below(task.longest) }, () => String.fromCharCode(97 + below(task.letters))).join('');
  const turned = (text) => [...text].reverse().join('');
  const seen = new Set();
  while (seen.size < task.pairs) seen.add(word());
  const unseen = new Set();
  while (unseen.size < task.unseen) {
    const one = word();
    if (!seen.has(one)) unseen.add(one);
  }
  const size = {
    ...{ d_model: task.d, encoder_layers: task.layers, decoder_layers: task.layers, max_position_embeddings: 32 },
    ...{
      encoder_attention_heads: 4,
      decoder_attention_heads: 4,
      encoder_ffn_dim: 2 * task.d,
      decoder_ffn_dim: 2 * task.d,
    },
    ...{ dropout: 0, attention_dropout: 0, activation_dropout: 0 },
  };
  const begin = performance.now();
  const trainer = await Trainer.create({
    pairs: [...seen].map((one) => [one, turned(one)]),
    config: {
      steps: task.steps,
      model: size,
      batch: { tokens: task.tokens, longest: 32, joined: [1] },
      optimiser: { smoothing: 0 },
      schedule: { kind: 'cosine', peak: 0.004, warmup: 60 },
    },
  });
  // How long the page's own thread is blocked.
  let longest = 0;
  let frames = 0;
  let before = performance.now();
  let watching = true;
  const frame = () => {
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
    frames++;
    if (watching) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  await trainer.run({ steps: Math.floor(task.steps / 10) });
  const memory = [await trainer.memoryBytes()];
  await trainer.run({ steps: task.steps - Math.floor(task.steps / 10) });
  memory.push(await trainer.memoryBytes());
  const seconds = (performance.now() - begin) / 1000;
  watching = false;
  let right = 0;
  for (const one of unseen) if ((await trainer.translate(one)) === turned(one)) right++;
  const { cross } = await trainer.trace('abcd');
  trainer.destroy();
  return { right: right / unseen.size, seconds, frames, longest, memory, shape: cross.shape };
}

test('a page learns to turn words round, and stays alive meanwhile', async () => {
  const browser = await openBrowser(built.package);
  try {
    const page = await browser.open('page.html', {}, (opened) =>
      opened.route('**/page.html', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>A page</title>' }),
      ),
    );
    const found = await page.evaluate(reverse, [kTask, `${browser.url}train.js`]);
    if (kFull) console.log(found);
    expect(page.complaints).toEqual([]);
    expect(found.right).toBeGreaterThanOrEqual(kTask.share);
    expect(found.shape).toEqual([kTask.layers, 4, 5, 5]);
    // many a second on an idle machine; at least one on a loaded one
    expect(found.frames).toBeGreaterThan(found.seconds);
    expect(found.memory[1]).toBeLessThanOrEqual(found.memory[0] * 1.05);
  } finally {
    await browser.close();
  }
}, 400_000);
