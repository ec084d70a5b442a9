// Well-formed model folders with changed content (tests/fuzz/mutate.mjs), loaded and used in one engine. Each gives an
// error that names its cause, or a model that works. A good model beside them answers as before.
import { mutatedFolder } from '../fuzz/mutate.mjs';
import { Encoder, Generator, QkvError, Translator, load } from '../../web/lib/models/index.js';
import { modelWith, sentence } from './bad-models.js';

const kFolders = 200;
const kTexts = ['', 'Where is the kitchen?', '>>fra<< The cat [MASK] on the <mask>. \u2581\u6f22\ud83d\ude00 e\u0301'];

let good;
beforeAll(async () => {
  good = await load(modelWith(), { beam: 1 });
});
afterAll(() => good.destroy());

const expectGood = async () => expect(await good.translate(sentence.source, { split: false })).toBe(sentence.target);

/** Whether a call returned a result instead of an error of a file, a limit or an argument. */
async function answers(call) {
  try {
    expect(await call()).toBeDefined();
    return true;
  } catch (error) {
    if (!(error instanceof QkvError) && error.name !== 'InvalidStateError') throw error;
    expect(error.code).not.toBe('ENGINE_FAILED');
    expect(error.message).not.toBe('');
    return false;
  }
}

async function use(model) {
  for (const text of kTexts) {
    if (model instanceof Translator) {
      await answers(() => model.translate(text));
      await answers(() => model.trace(text, { vectors: true }));
    } else if (model instanceof Encoder) {
      await answers(() => model.encode(text, { second: 'It is there.' }));
      await answers(() => model.fillMask(text));
      await answers(() => model.classify(text));
      await answers(() => model.tag(text));
      await answers(() => model.trace(text));
    } else if (model instanceof Generator) {
      await answers(() => model.generate(text, { maxLength: 4 }));
      await answers(() => model.trace(text));
    }
  }
}

test('each damaged model is refused with a reason, or works', async () => {
  let loaded = 0;
  for (let seed = 0; seed < kFolders; ++seed) {
    let model;
    if (await answers(async () => (model = await load({ files: mutatedFolder(seed) })))) {
      ++loaded;
      await use(model);
      model.destroy();
    }
    if (seed % 20 === 0) await expectGood();
  }
  await expectGood();
  expect(loaded).toBeGreaterThan(kFolders / 10); // a model that never loads is never used
}, 120_000);
