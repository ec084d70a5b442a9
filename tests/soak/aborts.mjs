// Translates one text again and again, aborting after step 1, 2, 3, ... up to its last, and says what memory that took.
//
// usage: node --expose-gc aborts.mjs SENTENCES      of how many sentences the text is
// prints {steps, aborted, wrong, first, last}: memories {wasm, resident, ...} in bytes, first after a quarter of the aborts

import { register } from 'node:module';
import { ownMemory } from './memory.mjs';
import { sentences } from './sentences.mjs';

// Everything is real. The engine's functions are only observed, so that an abort falls between two known steps.
register('./watch-steps.mjs', import.meta.url);
const { watch } = await import('../../web/lib/engine/guard.js');
const { Translator } = await import('../../web/lib/index.js');

const length = Number(process.argv[2]);
const text = sentences
  .slice(0, length)
  .map(({ source }) => source)
  .join('\n');
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
const short = sentences[0];

/**
 * Runs the text and aborts after a step. Returns the rejection, or undefined if the job had ended, and the steps it
 * took.
 */
async function run(abortAfter) {
  const controller = new AbortController();
  const reason = { abortAfter };
  let steps = 0;
  watch(() => {
    // After the step and before the next one, as a message or a click would arrive.
    if (++steps === abortAfter) queueMicrotask(() => controller.abort(reason));
  });
  const outcome = await translator.translate(text, { signal: controller.signal }).then(
    () => 'done',
    (error) => (error === reason ? 'aborted' : `rejected with ${error}`),
  );
  watch(() => {});
  return { outcome, steps };
}

const memory = async () => ({ wasm: await translator.memoryBytes(), ...(await ownMemory()) });

const { steps } = await run(Infinity);
let first;
let aborted = 0;
let wrong = 0;
for (let step = 1; step <= steps; ++step) {
  if (step === Math.ceil(steps / 4)) first = await memory();
  const stopped = await run(step);
  // The job ends with its last step. An abort after it may be late or in time.
  const isRight = stopped.outcome === 'aborted' || (step === steps && stopped.outcome === 'done');
  if (stopped.outcome === 'aborted') ++aborted;
  if (!isRight || stopped.steps !== step) ++wrong;
  if ((await translator.translate(short.source, { split: false, copy: false })) !== short.beam.text) ++wrong;
}
console.log(JSON.stringify({ steps, aborted, wrong, first, last: await memory() }));
translator.destroy();
