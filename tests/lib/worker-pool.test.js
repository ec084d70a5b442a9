// Several workers share a long text, and only the time shows it.

import { WorkerPool } from '../../web/lib/hosting/worker-pool.js';
import { create, rejection } from './support.js';

const kSentences = ['How are you?', 'I like my house.', 'It rains.', 'Where is the station?', 'She is reading a book.'];
const kLong = Array.from({ length: 150 }, (_, i) => kSentences[i % 5]).join(' ');

let alone;
let pool;
beforeAll(async () => {
  alone = await create();
  pool = await create({ worker: true, workers: 3 });
}, 30_000);
afterAll(() => {
  alone.destroy();
  pool.destroy();
});

test('several workers give the translation of one', async () => {
  const [expected, parts] = [await alone.translateParts(kLong), await pool.translateParts(kLong)];
  expect(parts).toEqual(expected);
  expect(await pool.translate(kLong)).toBe(expected.map(({ translation }) => translation).join(''));
  expect(await pool.memoryBytes()).toBeGreaterThan(2 * (await alone.memoryBytes()));
}, 30_000);

test('short texts, prefixes, traces and searches run in the first worker', async () => {
  expect(await pool.translate('How are you?\n\n It rains. ')).toBe(
    await alone.translate('How are you?\n\n It rains. '),
  );
  expect(await pool.translate('')).toBe('');
  expect(await pool.translate('How are you?', { prefix: 'Comment' })).toBe(
    await alone.translate('How are you?', { prefix: 'Comment' }),
  );
  expect((await pool.trace('It rains.')).target.text).toBe(await alone.translate('It rains.'));
});

test('an aborted text rejects with its reason, and the next one is translated', async () => {
  const controller = new AbortController();
  const translated = pool.translate(kLong, { signal: controller.signal });
  setTimeout(() => controller.abort('enough'), 30);
  expect(await rejection(translated)).toBe('enough');
  expect(await pool.translate(kLong)).toBe(await alone.translate(kLong));
}, 30_000);

test('a pool that is destroyed while it translates rejects', async () => {
  const brief = await create({ worker: true, workers: 2 });
  const translated = rejection(brief.translate(kLong));
  brief.destroy();
  expect((await translated).name).toBe('AbortError');
  expect((await rejection(brief.translate('It rains.'))).name).toBe('AbortError');
}, 30_000);

test('the number of workers must be from 1 to 16', async () => {
  for (const workers of [0, 17, 1.5, '2', null]) {
    expect((await rejection(create({ workers }))).code).toBe('INVALID_ARGUMENT');
  }
  const here = await create({ worker: false, workers: 4 }); // without a worker there are none to share with
  expect(await here.translate('It rains.')).toBe(await alone.translate('It rains.'));
  here.destroy();
});

test('a worker whose engine stops fails one text, and is replaced for the next', async () => {
  const { signal } = new AbortController();
  const released = [];
  // A test cannot make a running engine hang from outside. A stand-in answers once as an engine that hangs.
  const reference = (name, translate) => ({
    call: translate,
    ready: async () => {},
    release: () => released.push(name),
  });
  const echo = async (_, { parts }) => parts.map((part) => ({ ...part, translation: part.text }));
  const given = [];
  const give = () => {
    const isFirst = given.push('other') === 1;
    const stopped = async () => Promise.reject(new Error('the engine has stopped'));
    return reference(`other ${given.length}`, isFirst ? stopped : echo);
  };
  const slow = async (method, args) => (await new Promise((later) => setTimeout(later, 20)), echo(method, args));
  const some = new WorkerPool(reference('first', slow), [give]);
  const args = { text: kLong, locale: 'en', longest: 500, split: true };
  expect((await rejection(some.call('translate', args, signal))).message).toBe('the engine has stopped');
  const parts = await some.call('translate', args, signal);
  expect(parts.map(({ text }) => text).join('')).toBe(kLong);
  expect([given.length, released]).toEqual([2, ['other 1']]);
});
