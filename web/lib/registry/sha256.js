// SHA-256 (FIPS 180-4) of bytes in chunks. The browser's own function needs all bytes at once.

const kRounds = /* @__PURE__ */ (() => {
  const isPrime = (/** @type {number} */ n) => {
    for (let i = 2; i * i <= n; i++) if (n % i === 0) return false;
    return true;
  };
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (isPrime(n)) primes.push(n);
  return primes;
})();
/** The first 32 bits of a root's fraction (4.2.2, 5.3.3). @param {number} root */
const fraction = (root) => ((root % 1) * 2 ** 32) | 0;
const kConstants = /* @__PURE__ */ Int32Array.from(kRounds, (prime) => fraction(Math.cbrt(prime)));
const kStart = /* @__PURE__ */ Int32Array.from(kRounds.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const rotated = (/** @type {number} */ x, /** @type {number} */ bits) => (x >>> bits) | (x << (32 - bits));

export class Sha256 {
  /** The number of bytes so far. */
  size = 0;
  #state = kStart.slice();
  #schedule = new Int32Array(64);
  #block = new Uint8Array(64);
  #view = new DataView(this.#block.buffer);

  /** @param {Uint8Array} bytes */
  add(bytes) {
    for (let at = 0; at < bytes.length;) {
      const filled = this.size % 64;
      const taken = Math.min(64 - filled, bytes.length - at);
      this.#block.set(bytes.subarray(at, at + taken), filled);
      this.size += taken;
      at += taken;
      if (filled + taken === 64) this.#compress();
    }
  }

  /** @returns {string} 64 hexadecimal digits; no bytes may be added afterwards */
  digest() {
    const size = this.size;
    this.add(Uint8Array.of(0x80));
    while (this.size % 64 !== 56) this.add(Uint8Array.of(0));
    const length = new DataView(new ArrayBuffer(8));
    length.setBigUint64(0, BigInt(size) * 8n);
    this.add(new Uint8Array(length.buffer));
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  /** One block (6.2.2). */
  #compress() {
    const w = this.#schedule;
    for (let t = 0; t < 16; t++) w[t] = this.#view.getInt32(4 * t);
    for (let t = 16; t < 64; t++) {
      const s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ (w[t - 15] >>> 3);
      const s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ (w[t - 2] >>> 10);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    const state = this.#state;
    let [a, b, c, d] = [state[0], state[1], state[2], state[3]];
    let [e, f, g, h] = [state[4], state[5], state[6], state[7]];
    for (let t = 0; t < 64; t++) {
      const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const first = (h + s1 + ((e & f) ^ (~e & g)) + kConstants[t] + w[t]) | 0;
      const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}
