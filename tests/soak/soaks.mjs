// Long runs after which memory must be as before. Each has a short form for every day and a full one.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const command = process.env.QKV_COMMAND ?? here('../../build/native/qkv');

// V8 only: the engine is compiled once, no background compilers change the memory, and the young generation does not
// grow.
const kYoung = ['--min-semi-space-size=1', '--max-semi-space-size=1'];
const kSteady = ['--expose-gc', '--no-liftoff', '--single-threaded', ...kYoung];

// malloc returns large freed blocks to the system. By default glibc keeps some of them.
const env = { ...process.env, MALLOC_MMAP_THRESHOLD_: '131072' };

/** Runs a script of this folder and returns its output. */
async function measure(script, args, flags = kSteady) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, here(script), ...args.map(String)], {
    env,
  });
  return JSON.parse(stdout);
}

const kLittle = 0.01;
const kWarming = 0.05; // in the first thousands of calls V8 still compiles, and the model's pages are first touched
/** The allowed growth of a kind of memory over that many calls. */
const shareOf = (count) => (count > 10_000 ? kLittle : kWarming);
// One engine left behind, with its model, is more than this. Threads and freed pages cause smaller changes.
const kAnEngine = 16e6;
const kHeap = 2e6; // the fragmentation of malloc's heap differs from batch to batch: by up to 1.1 MB on a busy machine
const kObjects = 1e6; // V8's tables of compiled code grow a little

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** @param {string} what @param {number} first @param {number} last in bytes @param {number} allowed growth */
function growth(what, first, last, allowed) {
  const summary = `${what} ${megabytes(first)} MB, then ${megabytes(last)} MB`;
  return { summary, complaints: last - first <= allowed ? [] : [`${summary}: it grew`] };
}

/**
 * @param {{summary: string, complaints: string[]}[]} parts @param {Record<string, number>} zeroes counts that must be zero
 */
function verdict(parts, zeroes = {}) {
  const more = Object.entries(zeroes).filter(([, count]) => count !== 0);
  return {
    summary: parts.map(({ summary }) => summary).join('; '),
    complaints: [...parts.flatMap(({ complaints }) => complaints), ...more.map(([what, count]) => `${count} ${what}`)],
  };
}

/** The engine's own memory must not change. */
const both = (where, first, last) => [
  growth(`${where}wasm`, first.wasm, last.wasm, 0),
  growth(`${where}resident`, first.resident, last.resident, kAnEngine),
];

/**
 * @typedef {object} Soak
 * @property {string} name
 * @property {number} short
 * @property {number} full
 * @property {(size: number) => Promise<{summary: string, complaints: string[]}>} run
 */

/** @type {Soak[]} */
export const soaks = [
  {
    name: 'translations by the native command',
    short: 2000,
    full: 100_000,
    async run(count) {
      const { first, last, wrong, ended } = await measure('native.mjs', [command, count, 1000], []);
      return verdict([growth('resident', first, last, kHeap)], { wrong, 'as exit code': ended });
    },
  },
  {
    name: 'translations in WebAssembly',
    short: 2000,
    full: 100_000,
    async run(count) {
      const { first, last, wrong } = await measure('wasm.mjs', [count, 1000]);
      const outside = growth(
        'resident outside the JavaScript heap',
        first.outside,
        last.outside,
        shareOf(count) * first.outside,
      );
      const used = growth('used in it', first.used, last.used, kObjects);
      return verdict([growth('wasm', first.wasm, last.wasm, 0), outside, used], { wrong });
    },
  },
  ...[false, true].map((worker) => ({
    name: `translators made and destroyed, ${worker ? 'each engine in a thread of its own' : 'in one thread'}`,
    short: 20,
    full: 200,
    async run(count) {
      const { own, shared } = await measure('translators.mjs', [count, worker]);
      const parts = [
        growth('resident', own.first.resident, own.last.resident, kAnEngine),
        ...both('beside one that stays: ', shared.first, shared.last),
      ];
      return verdict(parts, { 'threads left': own.threads });
    },
  })),
  {
    name: 'translators made and destroyed in Chromium',
    short: 20,
    full: 200,
    async run(count) {
      const { translatorsInPage } = await import('./pages.mjs');
      const { first, last, wrong, workers, complaints } = await translatorsInPage(count);
      const parts = [growth('renderers', first, last, kAnEngine), { summary: `${workers} workers left`, complaints }];
      return verdict(parts, { wrong, 'workers left': workers });
    },
  },
  {
    name: 'sentences in one text, aborted after each of its steps',
    short: 10,
    full: 100,
    async run(sentences) {
      const { steps, aborted, wrong, first, last } = await measure('aborts.mjs', [sentences]);
      const missing = steps - aborted;
      const zeroes = { wrong, 'aborts that did nothing': missing > 1 ? missing : 0 }; // the last one may come too late
      const { summary, complaints } = verdict(both('', first, last), zeroes);
      return { summary: `${steps} steps, ${aborted} aborted; ${summary}`, complaints };
    },
  },
];
