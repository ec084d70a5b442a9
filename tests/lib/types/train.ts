// What a user of 'qkv/train' writes, against the types in the package. types.test.js compiles this file; it never runs.
import { QkvError, Trainer, type Checkpoint, type Progress, type TrainerConfig, type TrainerOptions } from 'qkv/train';
import { Translator } from 'qkv';

const config: TrainerConfig = {
  preset: 'tiny',
  model: { d_model: 64, dropout: 0 },
  batch: { tokens: 2048, joined: [1] },
  schedule: { kind: 'cosine', peak: 0.004, warmup: 60 },
  steps: 1000,
};
const options: TrainerOptions = { pairs: [['abc', 'cba'], { source: 'de', target: 'ed' }], dev: [['f', 'f']], config };

export async function everything(signal: AbortSignal): Promise<string> {
  const trainer = await Trainer.create({ ...options, worker: true, signal });
  const seen: Progress[] = [];
  const last: Progress | undefined = await trainer.run({ steps: 10, onProgress: (news) => seen.push(news), signal });
  trainer.pause();
  await trainer.setLearningRate(0.001);
  const loss: number = await trainer.measure();
  const checkpoint: Checkpoint = await trainer.checkpoint();
  const again = await Trainer.create({ ...options, checkpoint });
  const translator = await Translator.create({
    sourceLanguage: 'en',
    targetLanguage: 'en',
    model: { files: await again.files() },
  });
  const { cross } = await trainer.trace({ source: 'abc', target: 'cba' });
  trainer.destroy();
  return `${last?.loss} ${loss} ${cross.shape} ${await translator.translate('abc')} ${await again.memoryBytes()}`;
}

export const isOurs = (error: unknown): boolean => error instanceof QkvError && error.code === 'INVALID_FILE';

// @ts-expect-error a schedule is one of three
export const wrong: TrainerConfig = { schedule: { kind: 'linear' } };
