// A file of weights goes to the engine while it is downloaded, and the engine works while bytes are waited for.

import { RangeFiller, feed } from '../../web/lib/engine/feed.js';

const signal = new AbortController().signal;
const noProgress = () => {};

/** A loader that wants `size` bytes. */
function loaderOf(size) {
  const bytes = new Uint8Array(size);
  let isDone = false;
  return {
    bytes,
    loaderNext: () => ({ offset: 0, length: isDone ? 0 : size, file: 0 }),
    loaderStage: () => bytes,
    loaderCommit: () => (isDone = true),
  };
}

/** Chunks of one byte, each of which comes when `before` of its number has resolved. */
async function* comingAfter(count, before) {
  for (let i = 0; i < count; ++i) {
    await before(i);
    yield Uint8Array.of(i + 1);
  }
}

const fed = async (chunks, size, work) => {
  const loader = loaderOf(size);
  await feed(new RangeFiller(loader, 1), { chunks, size, exact: true }, 'weights', signal, noProgress, work);
  return [...loader.bytes];
};

test('work is done while the next bytes are waited for, as long as there is more of it', async () => {
  let steps = 0;
  let arrive;
  const arrival = new Promise((resolve) => (arrive = resolve));
  const chunks = comingAfter(3, (i) => (i === 1 ? arrival : undefined));
  const work = () => {
    if (++steps === 5) setTimeout(arrive, 20);
    return steps < 5;
  };
  expect(await fed(chunks, 3, work)).toEqual([1, 2, 3]);
  expect(steps).toBe(5);
});

test('bytes that are there are not delayed by work', async () => {
  let steps = 0;
  const chunks = comingAfter(50, () => undefined);
  expect(await fed(chunks, 50, () => (++steps, true))).toHaveLength(50);
  expect(steps).toBe(0);
});

test('work that needs more bytes is tried again when they have come', async () => {
  let steps = 0;
  const chunks = comingAfter(3, () => new Promise((resolve) => setTimeout(resolve, 20)));
  const work = () => (++steps < 3 ? undefined : false);
  expect(await fed(chunks, 3, work)).toEqual([1, 2, 3]);
  expect(steps).toBe(3);
});

test('work ends when the bytes come', async () => {
  let steps = 0;
  let arrive;
  const arrival = new Promise((resolve) => (arrive = resolve));
  const chunks = comingAfter(1, () => arrival);
  const work = () => {
    if (++steps === 3) arrive();
    return true;
  };
  expect(await fed(chunks, 1, work)).toEqual([1]);
  expect(steps).toBeGreaterThanOrEqual(3);
  const before = steps;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(steps).toBe(before);
});

test('a download that breaks while the engine works rejects with its error, and is closed', async () => {
  let isClosed = false;
  const broken = new Error('broken');
  async function* chunks() {
    try {
      yield Uint8Array.of(1);
      await new Promise((_, reject) => setTimeout(() => reject(broken), 10));
    } finally {
      isClosed = true;
    }
  }
  await expect(fed(chunks(), 2, () => true)).rejects.toBe(broken);
  expect(isClosed).toBe(true);
});

test('work that throws ends the loading, and the download is closed', async () => {
  let isClosed = false;
  async function* chunks() {
    try {
      yield Uint8Array.of(1);
      await new Promise((resolve) => setTimeout(resolve, 10));
      yield Uint8Array.of(2);
    } finally {
      isClosed = true;
    }
  }
  const failure = new Error('the engine stopped');
  const work = () => {
    throw failure;
  };
  await expect(fed(chunks(), 2, work)).rejects.toBe(failure);
  expect(isClosed).toBe(true);
});
