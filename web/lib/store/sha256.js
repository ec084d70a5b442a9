// SHA-256 (FIPS 180-4) of bytes that come in chunks: the browser's own wants all of them at once.

const kPrimes = /* @__PURE__ */ (() => {
  const primes = [2];
  for (let n = 3; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  return primes;
})();
/** The first 32 bits of a root's fraction (4.2.2, 5.3.3). @param {number} root */
const fraction = (root) => (root % 1) * 2 ** 32;
const kConstants = /* @__PURE__ */ Uint32Array.from(kPrimes, (prime) => fraction(Math.cbrt(prime)));
const kStart = /* @__PURE__ */ Uint32Array.from(kPrimes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const rotated = (/** @type {number} */ x, /** @type {number} */ bits) => (x >>> bits) | (x << (32 - bits));
/** Two rotations of a word, and a third or a shift of it (4.1.2). @type {(x: number, i: number, j: number, last: number) => number} */
const mixed = (x, i, j, last) => rotated(x, i) ^ rotated(x, j) ^ last;

export class Sha256 {
  #size = 0;
  #state = kStart.slice();
  #schedule = new Int32Array(64);
  #block = new Uint8Array(64);
  #words = new DataView(this.#block.buffer);
  #variables = new Int32Array(8);

  /** @param {Uint8Array} bytes */
  add(bytes) {
    for (let at = 0; at < bytes.length;) {
      const filled = this.#size % 64;
      const taken = bytes.subarray(at, at + 64 - filled);
      this.#block.set(taken, filled);
      this.#size += taken.length;
      at += taken.length;
      if (this.#size % 64 === 0) this.#compress();
    }
  }

  /** @returns {string} 64 hexadecimal digits; nothing may be added after it */
  digest() {
    const padding = new Uint8Array(72 - ((this.#size + 8) % 64));
    padding[0] = 0x80;
    new DataView(padding.buffer).setBigUint64(padding.length - 8, BigInt(this.#size) * 8n);
    this.add(padding);
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  /** One block (6.2.2). The eight variables stay where they are; which is which moves by one place a round. */
  #compress() {
    const w = this.#schedule;
    const s = this.#variables;
    s.set(this.#state);
    for (let t = 0; t < 64; t++) {
      const [x, y] = [w[(t + 49) & 63], w[(t + 62) & 63]];
      w[t] =
        t < 16
          ? this.#words.getInt32(4 * t)
          : w[t - 16] + mixed(x, 7, 18, x >>> 3) + w[t - 7] + mixed(y, 17, 19, y >>> 10);
      const [a, b, c] = [s[-t & 7], s[(1 - t) & 7], s[(2 - t) & 7]];
      const [e, f, g] = [s[(4 - t) & 7], s[(5 - t) & 7], s[(6 - t) & 7]];
      const first = s[(7 - t) & 7] + mixed(e, 6, 11, rotated(e, 25)) + ((e & f) ^ (~e & g)) + kConstants[t] + w[t];
      s[(3 - t) & 7] += first;
      s[(7 - t) & 7] = first + mixed(a, 2, 13, rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    }
    s.forEach((word, i) => (this.#state[i] += word));
  }
}
