import { MessageChannel } from 'node:worker_threads';
import { Channel, serve } from '../../web/lib/worker/protocol.js';
import { QkvError, errorCodes, fromPlain, toPlain } from '../../web/lib/base/errors.js';
import { guard } from '../../web/lib/engine/guard.js';
import { Scheduler } from '../../web/lib/engine/scheduler.js';
import { nextTask } from '../../web/lib/base/runtime.js';
import { version } from '../../web/lib/base/version.js';
import { wellFormed } from '../../web/lib/base/well-formed.js';
import { readJson, rejection } from './support.js';

describe('a channel', () => {
  const handlers = {
    double: async (n) => 2 * n,
    fail: async () => Promise.reject(new QkvError('INVALID_FILE', 'is bad', 'config.json')),
    crash: async () => null.nothing,
    arrays: async () => ({ inner: { data: Float32Array.of(1, 2) }, ids: Int32Array.of(3) }),
    report: async (_, { progress }) => [0.1, 0.5, 1].forEach(progress),
    reportAll: async (_, { progress }) => {
      const first = progress(1);
      await progress(2);
      await Promise.all([first, progress(3)]);
      return 'all are taken';
    },
    reportOnly: async (_, { progress }) => progress(1), // ignores the signal
    wait: (_, { signal }) => new Promise((_, reject) => (signal.onabort = () => reject(signal.reason))),
  };
  let near;
  let far;
  let channel;
  beforeEach(() => {
    ({ port1: near, port2: far } = new MessageChannel());
    serve(far, handlers);
    channel = new Channel(near);
  });
  afterEach(() => near.close());

  test('carries calls, their results, their reports', async () => {
    expect(await Promise.all([channel.call('double', 2), channel.call('double', 3)])).toEqual([4, 6]);
    expect(await channel.call('arrays')).toEqual({ inner: { data: Float32Array.of(1, 2) }, ids: Int32Array.of(3) });
    const seen = [];
    await channel.call('report', null, { progress: (loaded) => seen.push(loaded) });
    expect(seen).toEqual([0.1, 0.5, 1]);
  });

  test('each report is awaited, also an earlier one', async () => {
    const seen = [];
    const slow = async (report) => (await nextTask(), seen.push(report));
    expect(await channel.call('reportAll', null, { progress: slow })).toBe('all are taken');
    expect(seen).toEqual([1, 2, 3]);
  });

  test('a report without a reader does not delay a call that is aborted, or whose reader fails', async () => {
    const controller = new AbortController();
    const settled = await new Promise((taken) => {
      const progress = () => (taken(call.catch((error) => error)), new Promise(() => {}));
      const call = channel.call('reportOnly', null, { signal: controller.signal, progress });
      setTimeout(() => controller.abort('enough'), 20);
    });
    expect(settled).toBeUndefined(); // the handler has returned and ignored the signal
    const failing = (how) => rejection(channel.call('reportOnly', null, { progress: how }));
    const reason = new Error('not now');
    expect(await failing(() => Promise.reject(reason))).toBe(reason);
    expect(await failing(() => { throw reason; })).toBe(reason); // prettier-ignore
    expect(await channel.call('double', 4)).toBe(8);
  });

  test('carries errors with code and place', async () => {
    const error = await rejection(channel.call('fail'));
    expect(error).toBeInstanceOf(QkvError);
    expect(error).toMatchObject({ code: 'INVALID_FILE', where: 'config.json', message: 'config.json: is bad' });
    expect(await rejection(channel.call('crash'))).toMatchObject({ code: 'ENGINE_FAILED' });
    for (const method of ['nothing', 'constructor', '__proto__']) {
      expect(await rejection(channel.call(method))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
  });

  test('carries aborts, and rejects with the reason as it is', async () => {
    const controller = new AbortController();
    const waiting = rejection(channel.call('wait', null, { signal: controller.signal }));
    await nextTask();
    const reason = { why: 'enough' };
    controller.abort(reason);
    expect(await waiting).toBe(reason);
    expect(await channel.call('double', 4)).toBe(8);
  });

  test('rejects pending and later calls when it is closed, or the other end dies', async () => {
    const pending = rejection(channel.call('wait'));
    channel.close();
    expect(await pending).toMatchObject({ code: 'DESTROYED' });
    expect(await rejection(channel.call('double', 1))).toMatchObject({ code: 'DESTROYED' });

    const other = new MessageChannel();
    const dying = new Channel(other.port1);
    const call = rejection(dying.call('double', 1));
    other.port1.emit('error', new Error('out of memory'));
    expect(await call).toMatchObject({ code: 'ENGINE_FAILED', message: expect.stringContaining('out of memory') });
    other.port1.close();
  });

  test('refuses another version, whichever side sends first', async () => {
    const raw = new MessageChannel();
    serve(raw.port2, handlers);
    const answer = new Promise((resolve) => raw.port1.once('message', resolve));
    raw.port1.postMessage({ v: '0.0.0', id: 1, method: 'double', args: 2 });
    expect(await answer).toMatchObject({ v: version, id: 1, error: { code: 'ENGINE_FAILED' } });
    raw.port1.close();

    const old = new MessageChannel();
    old.port2.on('message', ({ id }) => old.port2.postMessage({ v: '0.0.0', id, result: 4 }));
    const error = await rejection(new Channel(old.port1).call('double', 2));
    expect(error).toMatchObject({ code: 'ENGINE_FAILED', message: expect.stringMatching(/qkv 0\.0\.0.*reload/) });
    old.port1.close();
  });
});

describe('the scheduler', () => {
  const steps = (count, log, name) => {
    let done = 0;
    return () => (log.push(name), ++done === count);
  };
  const { signal } = new AbortController();

  test('gives each job a step in turn', async () => {
    const scheduler = new Scheduler();
    const log = [];
    await Promise.all([scheduler.run(steps(3, log, 'a'), signal), scheduler.run(steps(3, log, 'b'), signal)]);
    expect(log.join('')).toBe('aababb'); // the first job began before the second came
  });

  test('lets the event loop run, and stops at an abort between two steps', async () => {
    const scheduler = new Scheduler();
    const controller = new AbortController();
    setTimeout(() => controller.abort('enough'), 20);
    expect(await rejection(scheduler.run(() => false, controller.signal))).toBe('enough');
    const log = [];
    await scheduler.run(steps(2, log, 'c'), signal);
    expect(log).toHaveLength(2);
  });

  test('a step that throws ends its own job only', async () => {
    const scheduler = new Scheduler();
    const log = [];
    const bad = rejection(scheduler.run(() => null.nothing, signal));
    await scheduler.run(steps(2, log, 'd'), signal);
    expect(await bad).toBeInstanceOf(TypeError);
  });
});

describe('a guarded module', () => {
  test('throws returned errors, and works afterwards', () => {
    const module = guard({
      fails: () => ({ error: { code: 'UNSUPPORTED', message: 'no', where: 'x' } }),
      works: () => 1,
    });
    expect(() => module.fails()).toThrow(expect.objectContaining({ code: 'UNSUPPORTED', where: 'x' }));
    expect(module.works()).toBe(1);
  });

  test('throws the same error after a trap', () => {
    const trap = () => {
      throw new WebAssembly.RuntimeError('memory access out of bounds');
    };
    const module = guard({ trap, works: () => 1 });
    expect(() => module.trap()).toThrow(expect.objectContaining({ code: 'ENGINE_FAILED' }));
    expect(() => module.works()).toThrow(expect.objectContaining({ code: 'ENGINE_FAILED' }));
  });
});

test("the codes begin with the core's, in its order", async () => {
  const { instantiate } = await import('../../web/lib/engine/instantiate.js');
  const { wasmUrls } = await import('../../web/lib/engine/assets.js');
  const { default: create } = await import('../../web/lib/engine/glue.js');
  const { module } = await instantiate(create, { build: 'baseline', from: wasmUrls().baseline });
  const codes = module.errorCodes();
  expect(codes.length).toBeGreaterThan(3);
  expect(errorCodes.slice(0, codes.length)).toEqual(codes);
});

test('an error keeps its code and place over a channel', () => {
  const error = new QkvError('LIMIT_EXCEEDED', 'too long', 'text');
  expect(fromPlain(toPlain(error))).toMatchObject({ code: 'LIMIT_EXCEEDED', where: 'text', message: error.message });
});

test('well-formed text has no lone surrogates, and keeps its length', () => {
  const native = String.prototype.toWellFormed;
  const texts = ['a\ud800b', '\udc00', '\u{1F600}', '\ud83d\ud83d\ude00\ude00', 'plain', ''];
  const expected = texts.map(wellFormed);
  expect(expected[0]).toBe('a\ufffdb');
  expect(expected[3]).toBe('\ufffd\u{1F600}\ufffd');
  delete String.prototype.toWellFormed;
  try {
    expect(texts.map(wellFormed)).toEqual(expected);
  } finally {
    Object.defineProperty(String.prototype, 'toWellFormed', { value: native, configurable: true, writable: true });
  }
});

test("the version is the package's", () => {
  expect(version).toBe(readJson('package.json').version);
});
