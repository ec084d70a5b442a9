// Finds which of the two builds this runtime can run.
import { QkvError } from '../base/errors.js';

const kNoWebAssembly =
  'this runtime has no WebAssembly: an old browser, or a mode that turns it off, such as Lockdown Mode of iOS';
const kForbidden =
  "the Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src, in the headers of the page and of " +
  "the worker's script";
const kNoRelaxed =
  'this runtime has no relaxed SIMD that computes correctly: leave the option `wasm` out, or set it to "baseline"';

/** Throws a QkvError, code UNSUPPORTED, if no WebAssembly runs. */
export function requireWebAssembly() {
  if (typeof WebAssembly !== 'object') throw new QkvError('UNSUPPORTED', kNoWebAssembly, 'qkv.wasm');
  try {
    new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  } catch (cause) {
    throw new QkvError('UNSUPPORTED', kForbidden, 'qkv.wasm', { cause });
  }
}

/** Throws a QkvError, code UNSUPPORTED, if the relaxed build does not run, or gives wrong results. */
export function requireRelaxedSimd() {
  requireWebAssembly();
  if (!hasRelaxedSimd()) throw new QkvError('UNSUPPORTED', kNoRelaxed, 'qkv.wasm');
}

/**
 * Whether this runtime has relaxed SIMD and computes correctly with it. A runtime without it rejects the whole relaxed
 * build. Some versions of V8 (Node 20) overwrite a register at a relaxed dot product if all registers are in use.
 */
export function hasRelaxedSimd() {
  const probe = relaxedProbe();
  try {
    if (!WebAssembly.validate(probe.bytes)) return false;
    const { run } = new WebAssembly.Instance(new WebAssembly.Module(probe.bytes)).exports;
    return /** @type {() => number} */ (run)() === probe.expected;
  } catch {
    return false; // WebAssembly is missing or forbidden: requireWebAssembly says which
  }
}

/** A module whose run() keeps sixteen vectors during two relaxed dot products, then adds them up. */
function relaxedProbe() {
  const kVectors = 16;
  const each = (/** @type {(i: number) => number[]} */ code) =>
    Array.from({ length: kVectors }, (_, i) => code(i)).flat();
  const dot = [32, 0, 32, 1, 32, 2, 253, 147, 2, 33, 2]; // v2 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v0, v1, v2)
  // The code of run().
  const body = [
    ...[1, kVectors, 123], // locals of v128
    ...each((i) => [65, i + 1, 253, 15, 33, i]), // v_i = i8x16.splat(i + 1)
    ...dot,
    ...dot,
    ...each((i) => (i === 0 ? [32, i] : [32, i, 253, 174, 1])), // i32x4.add
    ...[253, 27, 0, 11], // i32x4.extract_lane 0
  ];
  // The module: its head, which has the types and the exports, then the code.
  const size = (/** @type {number} */ n) => [(n & 127) | 128, n >> 7];
  const code = [1, ...size(body.length), ...body];
  const head = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 114, 117, 110, 0, 0];
  const sum = 0x01010101 * ((kVectors * (kVectors + 1)) / 2);
  const products = 2 * 4 * 1 * 2; // of two dots, four each
  return { bytes: new Uint8Array([...head, 10, ...size(code.length), ...code]), expected: (sum + products) | 0 };
}
