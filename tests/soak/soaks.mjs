// Long runs that must leave memory as it was. Each has a short form, for every day, and the full one.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const command = process.env.QKV_COMMAND ?? here('../../build/native/qkv');

// V8 alone: the engine compiled once and for all, no compilers beside it whose memory comes and goes, and a young
// generation that does not grow.
const kYoung = ['--min-semi-space-size=1', '--max-semi-space-size=1'];
const kSteady = ['--expose-gc', '--no-liftoff', '--single-threaded', ...kYoung];

// malloc returns large blocks to the system when they are freed. By default glibc keeps some of them.
const env = { ...process.env, MALLOC_MMAP_THRESHOLD_: '131072' };

/** Runs a script of this folder; what it printed. */
async function measure(script, args, flags = kSteady) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, here(script), ...args.map(String)], {
    env,
  });
  return JSON.parse(stdout);
}

const kLittle = 0.01;
const kWarming = 0.05; // in the first thousands of calls V8 still compiles, and pages of the model are first touched
/** What a share of memory may grow by over so many calls. */
const shareOf = (count) => (count > 10_000 ? kLittle : kWarming);
// One engine left behind, with its model, is more than that. Less comes and goes with threads and with freed pages.
const kAnEngine = 16e6;
const kHeap = 1e6; // malloc's heap is more or less fragmented at the end of a batch
const kObjects = 1e6; // V8's tables of what it has compiled grow a little

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** @param {string} what @param {number} first @param {number} last in bytes @param {number} allowed growth */
function growth(what, first, last, allowed) {
  const said = `${what} ${megabytes(first)} MB, then ${megabytes(last)} MB`;
  return { said, complaints: last - first <= allowed ? [] : [`${said}: it grew`] };
}

/** @param {{said: string, complaints: string[]}[]} parts @param {Record<string, number>} zeroes what ought to be none */
function verdict(parts, zeroes = {}) {
  const more = Object.entries(zeroes).filter(([, count]) => count !== 0);
  return {
    said: parts.map(({ said }) => said).join('; '),
    complaints: [...parts.flatMap(({ complaints }) => complaints), ...more.map(([what, count]) => `${count} ${what}`)],
  };
}

/** The engine's own memory is to stay as it is. */
const both = (where, first, last) => [
  growth(`${where}wasm`, first.wasm, last.wasm, 0),
  growth(`${where}resident`, first.resident, last.resident, kAnEngine),
];

/**
 * @typedef {object} Soak
 * @property {string} name
 * @property {number} short
 * @property {number} full
 * @property {(size: number) => Promise<{said: string, complaints: string[]}>} run
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
      const parts = [growth('renderers', first, last, kAnEngine), { said: `${workers} workers left`, complaints }];
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
      const zeroes = { wrong, 'aborts that did nothing': missing > 1 ? missing : 0 }; // the last may come too late
      const { said, complaints } = verdict(both('', first, last), zeroes);
      return { said: `${steps} steps, ${aborted} aborted; ${said}`, complaints };
    },
  },
];
