// The engine's WebAssembly: which build, from where, compiled as it arrives.
import { QkvError } from './errors.js';
import { badStatus, readAll, request } from './fetch.js';
import createModule from './glue.js';

/** @typedef {import('./glue.js').WasmModule} WasmModule */

/**
 * Which engine to run: one of the package's builds by URL (`pick` chooses by what the runtime can do, and the one with
 * threads is taken where they are asked for and can be had), or one given.
 * @typedef {{count: number, wasm: string, glue: string}} Threads
 * @typedef {{pick: {baseline: string, relaxed: string}, threads?: Threads} | {build: string, from: string | ArrayBuffer | WebAssembly.Module}} WasmSettings
 */

/**
 * @typedef {object} Instance
 * @property {WasmModule} module
 * @property {string} build 'baseline', 'relaxed', 'threads' or 'custom'
 * @property {number} threads that compute, this one among them
 */

/**
 * Whether this runtime has relaxed SIMD, and computes with it: one without rejects the whole relaxed build, and V8's
 * quick compiler once spoiled a register at each relaxed dot product when all of them were taken.
 */
export function hasRelaxedSimd() {
  const probe = relaxedProbe();
  if (!WebAssembly.validate(probe.bytes)) return false;
  const { run } = new WebAssembly.Instance(new WebAssembly.Module(probe.bytes)).exports;
  return /** @type {() => number} */ (run)() === probe.expected;
}

/** A module whose run() adds up sixteen vectors that live across relaxed dot products. */
function relaxedProbe() {
  const kVectors = 16;
  const each = (/** @type {(i: number) => number[]} */ code) =>
    Array.from({ length: kVectors }, (_, i) => code(i)).flat();
  const dot = [32, 0, 32, 1, 32, 2, 253, 147, 2, 33, 2]; // v2 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v0, v1, v2)
  const body = [
    ...[1, kVectors, 123], // locals of v128
    ...each((i) => [65, i + 1, 253, 15, 33, i]), // v_i = i8x16.splat(i + 1)
    ...dot,
    ...dot,
    ...each((i) => (i === 0 ? [32, i] : [32, i, 253, 174, 1])), // i32x4.add
    ...[253, 27, 0, 11], // i32x4.extract_lane 0
  ];
  const size = (/** @type {number} */ n) => [(n & 127) | 128, n >> 7];
  const code = [1, ...size(body.length), ...body];
  const head = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 114, 117, 110, 0, 0];
  const sum = 0x01010101 * ((kVectors * (kVectors + 1)) / 2);
  const products = 2 * 4 * 1 * 2; // of two dots, four each
  return { bytes: new Uint8Array([...head, 10, ...size(code.length), ...code]), expected: (sum + products) | 0 };
}

/**
 * Compiles and starts the engine.
 * @param {WasmSettings} settings
 * @param {AbortSignal} [signal]
 * @returns {Promise<Instance>} rejects with a QkvError: NETWORK, MISSING_FILE, UNSUPPORTED, INVALID_FILE
 */
export async function instantiate(settings, signal) {
  if ('pick' in settings && settings.threads && canThread()) return instantiateThreads(settings.threads, signal);
  const { build, from } = 'pick' in settings ? choose(settings.pick) : settings;
  const compiled = await compile(from, build, signal);
  return { build, threads: 1, module: await start(createModule, compiled) };
}

/** Threads share memory, which only isolated pages may, and they wait for each other, which a page itself may not. */
const canThread = () =>
  globalThis.crossOriginIsolated === true && typeof globalThis.document === 'undefined' && hasRelaxedSimd();

/**
 * @param {Threads} threads
 * @param {AbortSignal} [signal]
 * @returns {Promise<Instance>}
 */
async function instantiateThreads({ count, wasm, glue }, signal) {
  const [{ default: create }, compiled] = await Promise.all([
    /** @type {Promise<typeof import('./glue.js')>} */ (import(/* @vite-ignore */ /* webpackIgnore: true */ glue)),
    compile(wasm, 'threads', signal),
  ]);
  const module = await start(create, compiled, count - 1);
  module.useThreads(count);
  return { build: 'threads', threads: count, module };
}

/** @param {{baseline: string, relaxed: string}} urls */
function choose(urls) {
  return hasRelaxedSimd() ? { build: 'relaxed', from: urls.relaxed } : { build: 'baseline', from: urls.baseline };
}

/**
 * @param {string | ArrayBuffer | WebAssembly.Module} from
 * @param {string} build
 * @param {AbortSignal} [signal]
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(from, build, signal) {
  try {
    if (typeof from === 'string') return await compileUrl(from, signal);
    return from instanceof WebAssembly.Module ? from : await WebAssembly.compile(from);
  } catch (error) {
    throw error instanceof WebAssembly.CompileError ? refused(error, build) : error;
  }
}

/**
 * @param {string} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<WebAssembly.Module>}
 */
async function compileUrl(url, signal) {
  if (!/^https?:/.test(url)) {
    const bytes = await readAll(url, 'qkv.wasm', signal);
    if (!bytes) throw new QkvError('MISSING_FILE', `there is no WebAssembly at ${url}`, 'qkv.wasm');
    return WebAssembly.compile(bytes);
  }
  const response = await request(url, 'qkv.wasm', signal);
  if (!response.ok) throw badStatus(url, response.status, 'qkv.wasm');
  // Compiling as it arrives needs the right media type; servers that lack it cost only that.
  const streams = response.headers.get('content-type') === 'application/wasm';
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/**
 * @param {WebAssembly.CompileError} cause
 * @param {string} build
 */
function refused(cause, build) {
  const message =
    build === 'relaxed' && !hasRelaxedSimd()
      ? 'this runtime has no relaxed SIMD: leave the option `wasm` out, or set it to "baseline"'
      : 'this runtime does not compile what it was given as the engine: check that the file is served as it is, and ' +
        `that the runtime has WebAssembly with SIMD (${cause.message})`;
  return new QkvError('UNSUPPORTED', message, 'qkv.wasm', { cause });
}

/**
 * @param {typeof createModule} create
 * @param {WebAssembly.Module} compiled
 * @param {number} [workers] to start beside this thread
 * @returns {Promise<WasmModule>}
 */
function start(create, compiled, workers) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {unknown} */ cause) =>
      reject(new QkvError('ENGINE_FAILED', `the engine did not start (${cause})`, 'qkv.wasm', { cause }));
    create({
      workers,
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(compiled, imports)
          .then((instance) => receive(instance, compiled))
          .catch(fail);
        return {};
      },
      // What it would print before it aborts is in the error that it throws.
      print() {},
      printErr() {},
    }).then(resolve, fail);
  });
}
