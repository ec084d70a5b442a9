// Damaged model folders, one after another, in one engine. Each gives an error that names the file and the place, at
// once and in little memory. Afterwards the good model loads and translates correctly.
import { defects, modelWith, sentence, truncations } from './bad-models.js';
import { create, rejection } from './support.js';

let keeper; // holds the engine that all tests of this file share
let memory;
beforeAll(async () => {
  keeper = await create({ model: modelWith(), beam: 1 });
  memory = await keeper.memoryBytes();
});
afterAll(() => keeper.destroy());

async function expectTranslates(model) {
  const translator = await create({ model, beam: 1 });
  expect(await translator.translate(sentence.source, { split: false })).toBe(sentence.target);
  translator.destroy();
}

/** The error of a model that must not load. It took at most two seconds of processor time. */
async function refusal(model) {
  const start = process.cpuUsage();
  const error = await rejection(create({ model }));
  const { user, system } = process.cpuUsage(start);
  expect(user + system).toBeLessThan(2e6);
  return error;
}

test('each file cut at fifty places', async () => {
  const all = truncations(50);
  expect(all).toHaveLength(300);
  expect(all.filter(({ isWhole }) => isWhole).map(({ name }) => name)).toEqual([
    'config.json',
    'generation_config.json',
    'vocab.json',
  ]);
  for (const { what, name, model, isWhole } of all) {
    if (isWhole) {
      await expectTranslates(model);
      continue;
    }
    const error = await refusal(model);
    expect({ what, code: error.code, where: error.where.split(',')[0] }).toEqual({
      what,
      code: 'INVALID_FILE',
      where: name,
    });
    expect(error.message).toContain(name);
    await expectTranslates(modelWith());
  }
});

test.each(defects())('$what', async ({ model, code, says }) => {
  const error = await refusal(model);
  expect(error).toMatchObject({ name: 'QkvError', code, message: expect.stringMatching(says) });
  await expectTranslates(modelWith());
});

// The largest file, 40 MB of zeros, is in memory twice while it is refused: as bytes, and as the engine reads it. The
// memory grows by what is asked for, or by a fifth of its size if that is more, and never shrinks.
test('memory grows by at most twice the largest file, and not again in a second round', async () => {
  const sizes = defects().flatMap(({ model }) => Object.values(model.files).map(({ length }) => length));
  const grown = await keeper.memoryBytes();
  expect(grown).toBeLessThan(1.2 * (memory + 2 * Math.max(...sizes)));
  for (const { model } of defects()) await refusal(model);
  for (const { model } of truncations(10).filter(({ isWhole }) => !isWhole)) await refusal(model);
  expect(await keeper.memoryBytes()).toBe(grown);
});
