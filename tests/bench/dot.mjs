// What V8 makes of WebAssembly's dot product of bytes: products in 8 bits take half as long where it is one instruction.

const splat = (...leb128) => [0x41, ...leb128, 0xfd, 0x0f]; // i32.const, i8x16.splat

// (i32x4.extract_lane 0 (i32x4.relaxed_dot_i8x16_i7x16_add_s (i8x16.splat 127) (i8x16.splat -1) (i8x16.splat 0)))
// The second operand should have 7 bits. With 8 each way to compute it gives another number.
const expression = [...splat(0xff, 0), ...splat(0x7f), ...splat(0), ...[0xfd, 0x93, 0x02, 0xfd, 0x1b, 0]];
const kNoLocals = 0;
const kEnd = 0x0b;
const body = [kNoLocals, ...expression, kEnd];
const module = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 5, 1, 0x60, 0, 1, 0x7f], // types: a function without parameters gives an i32
  ...[3, 2, 1, 0], // one function
  ...[7, 7, 1, 3, ...new TextEncoder().encode('dot'), 0, 0], // its export
  ...[10, body.length + 2, 1, body.length, ...body],
);

export const kTwoSteps = 'two steps';
const kWays = new Map([
  [4 * 127 * 255, 'one instruction, unsigned by signed (AVX-VNNI)'],
  [4 * 127 * -1, 'one instruction, signed (Arm)'],
  [2 * 32767, kTwoSteps],
]);

/** In words, of the V8 that this runs in. @returns {Promise<string>} */
export async function byteDot() {
  if (!WebAssembly.validate(module)) return 'no relaxed SIMD';
  const { instance } = await WebAssembly.instantiate(module);
  const sum = instance.exports.dot();
  return kWays.get(sum) ?? `another way: ${sum}`;
}

/** Flags of V8's that leave it two steps on every processor. */
export const twoStepFlags = ['--no-enable-avx-vnni', '--no-enable-avx-vnni-int8'];
