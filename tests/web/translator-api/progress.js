// The events of a download, and the effect of an abort.
import {
  activated,
  configure,
  eventsOf,
  holds,
  identical,
  kPair,
  kReal,
  kTiny,
  rejected,
  same,
  sleep,
  slowly,
} from './tools.js';

const create = (options) => globalThis.Translator.create(options);
const availability = () => globalThis.Translator.availability(kPair);
const loadedOf = (events) => events.map(({ event }) => event.loaded);
/** The real model, loaded in this thread, so that its download can be slowed down. */
const real = () => configure({ models: { 'en-fr': kReal }, worker: false });
const weights = (requests) => requests.filter((url) => url.endsWith('model.safetensors')).length;

/** @param {number[]} loaded */
const checkOrder = (loaded) => {
  same([loaded[0], loaded.at(-1)], [0, 1]);
  holds(
    loaded.every((part, i) => i === 0 || part > loaded[i - 1]),
    `not increasing: ${loaded}`,
  );
  holds(
    loaded.every((part) => Number.isInteger(part * 65536)),
    `not in 65536ths: ${loaded}`,
  );
};

export const progress = [
  [
    'a download is told by ProgressEvents named downloadprogress, whose total is 1 and computable, at the monitor',
    async () => {
      const { events, translator } = await eventsOf(kPair);
      translator.destroy();
      for (const { event } of events) {
        holds(event instanceof ProgressEvent);
        same([event.type, event.total, event.lengthComputable, event.bubbles, event.cancelable], ['downloadprogress', 1, true, false, false]); // prettier-ignore
        holds(event.target instanceof globalThis.CreateMonitor);
      }
    },
  ],
  [
    'the first event tells 0, the last 1, each more than the one before, in 65536ths',
    async () => {
      real();
      const { events, translator } = await slowly(4, () => eventsOf(kPair));
      translator.destroy();
      checkOrder(loadedOf(events));
      holds(events.length > 4, `${events.length} events`);
    },
  ],
  [
    'events are more than 50 ms apart, but for the last one',
    async () => {
      real();
      const { events, translator } = await slowly(4, () => eventsOf(kPair));
      translator.destroy();
      const gaps = events.slice(1, -1).map(({ event }, i) => event.timeStamp - events[i].event.timeStamp);
      holds(gaps.length > 2 && gaps.every((gap) => gap > 49.5), `${gaps}`); // clocks are rounded
    },
  ],
  [
    'what is available tells 0 and 1',
    async () => {
      const { events, translator } = await eventsOf({ sourceLanguage: 'en', targetLanguage: 'en' });
      same([loadedOf(events), translator.sourceLanguage], [[0, 1], 'en']);
      const first = await create(kPair);
      const second = await eventsOf(kPair);
      same(loadedOf(second.events), [0, 1]);
      first.destroy();
      second.translator.destroy();
    },
  ],
  [
    'each event has a task of its own, after create() has returned and before it resolves',
    async () => {
      const seen = [];
      const monitor = (m) =>
        m.addEventListener('downloadprogress', ({ loaded }) => {
          seen.push(loaded);
          queueMicrotask(() => queueMicrotask(() => seen.push('microtask')));
        });
      const creating = create({ sourceLanguage: 'en', targetLanguage: 'en', monitor });
      seen.push('returned');
      await creating;
      seen.push('resolved');
      await sleep(80);
      same(seen, ['returned', 0, 'microtask', 1, 'microtask', 'resolved']);
    },
  ],
  [
    'a create() that joins a download is told of what is still to come, from 0 to 1, and downloads nothing again',
    async () => {
      real();
      await slowly(10, async (requests) => {
        const first = eventsOf(kPair);
        await sleep(200);
        const second = eventsOf(kPair);
        for (const { events, translator } of await Promise.all([first, second])) {
          checkOrder(loadedOf(events));
          translator.destroy();
        }
        same(weights(requests), 1);
        const { events } = await second;
        holds(events.length > 3 && events[1].event.loaded < 0.6, `${loadedOf(events)}`);
      });
    },
  ],
  [
    'an abort during the download rejects at once with its reason, and no event follows',
    async () => {
      real();
      const reason = new Error('enough');
      await slowly(4, async () => {
        const controller = new AbortController();
        const told = [];
        const monitor = (m) => m.addEventListener('downloadprogress', ({ loaded }) => told.push(loaded));
        const creating = rejected(create({ ...kPair, monitor, signal: controller.signal }));
        await sleep(200);
        const before = told.length;
        controller.abort(reason);
        const winner = await Promise.race([creating, sleep(50)]);
        identical(winner, reason);
        await sleep(300);
        same(told.length, before);
        (await create(kPair)).destroy();
      });
    },
  ],
  [
    'an aborted create() throws nothing away: the pair is downloading, and the next create() goes on with it',
    async () => {
      real();
      await slowly(4, async (requests) => {
        const controller = new AbortController();
        const creating = rejected(create({ ...kPair, signal: controller.signal }), 'AbortError');
        await sleep(200);
        controller.abort();
        await creating;
        same(await availability(), 'downloading');
        const { events, translator } = await activated(false, () => eventsOf(kPair));
        checkOrder(loadedOf(events));
        same(await translator.translate('I love you.'), "Je t'aime.");
        same(weights(requests), 1);
        translator.destroy();
        same(await availability(), 'downloadable');
      });
    },
  ],
  [
    'an abort after the download was left to itself finds it available',
    async () => {
      const controller = new AbortController();
      const creating = rejected(create({ ...kPair, signal: controller.signal }), 'AbortError');
      controller.abort();
      await creating;
      for (let i = 0; (await availability()) !== 'available' && i < 100; i++) await sleep(100);
      same(await availability(), 'available');
      (await activated(false, () => create(kPair))).destroy();
    },
  ],
  [
    'what an aborted create() has left is freed where configure() says anew where models are',
    async () => {
      const { Translator: Engine } = await import('/dist/index.js');
      const ask = () => Engine.availability({ ...kPair, model: kTiny, store: false });
      const until = async (state) => {
        for (let i = 0; (await ask()) !== state && i < 100; i++) await sleep(50);
        same(await ask(), state);
      };
      const controller = new AbortController();
      const creating = rejected(create({ ...kPair, signal: controller.signal }), 'AbortError');
      controller.abort();
      await creating;
      await until('available');
      configure({ models: { 'en-fr': kTiny } });
      await until('downloadable');
    },
  ],
  ...[0, 1].map((loaded) => [
    `an abort in the event of ${loaded} rejects with its reason, and no event follows`,
    async () => {
      for (const languages of [kPair, { sourceLanguage: 'en', targetLanguage: 'en' }]) {
        const controller = new AbortController();
        const reason = new Error('test');
        const told = [];
        const listener = (event) => {
          told.push(event.loaded);
          if (event.loaded === loaded) controller.abort(reason);
        };
        const monitor = (m) => m.addEventListener('downloadprogress', listener);
        identical(await rejected(create({ ...languages, monitor, signal: controller.signal })), reason);
        await sleep(100);
        same(told.at(-1), loaded);
      }
      (await create(kPair)).destroy();
    },
  ]),
  [
    'ondownloadprogress is an event handler: objects are kept, all else is null, and its place is that of the first',
    async () => {
      let monitor;
      const seen = [];
      const own = function (event) {
        seen.push(['handler', this === monitor, event.loaded]);
      };
      const use = (m) => {
        monitor = m;
        identical(m.ondownloadprogress, null);
        for (const value of [1, 'f', undefined, true]) {
          m.ondownloadprogress = value;
          identical(m.ondownloadprogress, null);
        }
        const object = { handleEvent: () => seen.push('object') };
        m.ondownloadprogress = object;
        identical(m.ondownloadprogress, object);
        m.addEventListener('downloadprogress', () => seen.push(['listener']));
        m.ondownloadprogress = own;
        identical(m.ondownloadprogress, own);
      };
      await create({ sourceLanguage: 'en', targetLanguage: 'en', monitor: use });
      same(seen, [['handler', true, 0], ['listener'], ['handler', true, 1], ['listener']]);
      monitor.ondownloadprogress = null;
      monitor.dispatchEvent(new Event('downloadprogress'));
      same(seen.length, 5);
    },
  ],
];
