// SHA-256 (FIPS 180-4) of bytes that arrive in chunks. The browser's own function needs all bytes at once.

const kPrimes = /* @__PURE__ */ (() => {
  const primes = [2];
  for (let n = 3; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  return primes;
})();
/** The first 32 bits of a root's fraction (4.2.2, 5.3.3). @param {number} root */
const fraction = (root) => (root % 1) * 2 ** 32;
// Signed integers: with numbers above 2^31 a browser would compute in floats.
const kConstants = /* @__PURE__ */ Int32Array.from(kPrimes, (prime) => fraction(Math.cbrt(prime)));
const kStart = /* @__PURE__ */ Int32Array.from(kPrimes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const rotated = (/** @type {number} */ x, /** @type {number} */ bits) => (x >>> bits) | (x << (32 - bits));
/** Two rotations of a word, and a third or a shift of it (4.1.2). @type {(x: number, i: number, j: number, last: number) => number} */
const mixed = (x, i, j, last) => rotated(x, i) ^ rotated(x, j) ^ last;

export class Sha256 {
  #size = 0;
  #state = kStart.slice();
  #schedule = new Int32Array(64);
  #block = new Uint8Array(64);

  /** @param {Uint8Array} bytes */
  add(bytes) {
    const filled = this.#size % 64;
    this.#size += bytes.length;
    let at = 0;
    if (filled > 0) {
      this.#block.set(bytes.subarray(0, 64 - filled), filled);
      at = 64 - filled;
      if (at > bytes.length) return;
      this.#compress(this.#block, 0);
    }
    for (; at + 64 <= bytes.length; at += 64) this.#compress(bytes, at);
    this.#block.set(bytes.subarray(at));
  }

  /** @returns {string} 64 hexadecimal digits; nothing may be added after it */
  digest() {
    const padding = new Uint8Array(72 - ((this.#size + 8) % 64));
    padding[0] = 0x80;
    new DataView(padding.buffer).setBigUint64(padding.length - 8, BigInt(this.#size) * 8n);
    this.add(padding);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  /**
   * One block (6.2.2).
   * @param {Uint8Array} bytes
   * @param {number} at where the block begins
   */
  #compress(bytes, at) {
    // The message schedule: 16 words of the block, and 48 that are mixed from them.
    const w = this.#schedule;
    const s = this.#state;
    for (let t = 0; t < 16; t++, at += 4) {
      w[t] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    }
    for (let t = 16; t < 64; t++) {
      const x = w[t - 15];
      const y = w[t - 2];
      w[t] = w[t - 16] + mixed(x, 7, 18, x >>> 3) + w[t - 7] + mixed(y, 17, 19, y >>> 10);
    }
    // 64 rounds on eight variables. Destructuring would take longer than all the rest.
    let a = s[0];
    let b = s[1];
    let c = s[2];
    let d = s[3];
    let e = s[4];
    let f = s[5];
    let g = s[6];
    let h = s[7];
    for (let t = 0; t < 64; t++) {
      const first = (h + mixed(e, 6, 11, rotated(e, 25)) + ((e & f) ^ (~e & g)) + kConstants[t] + w[t]) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      const second = mixed(a, 2, 13, rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
    s[4] += e;
    s[5] += f;
    s[6] += g;
    s[7] += h;
  }
}
