// Seeded numbers, the same in Node and in pages, so that every engine computes on the same inputs.

/** Mulberry32 (Ettinger): uniform in [0, 1). @param {number} seed @returns {() => number} */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Floats in (-range, range). @param {number} count @param {number} range @param {number} seed */
export function floats(count, range, seed) {
  const next = uniform(seed);
  return Float32Array.from({ length: count }, () => (2 * next() - 1) * range);
}

/** A seed from a name: FNV-1a. @param {string} name */
export function seedOf(name) {
  let hash = 2166136261;
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0), 16777619);
  return hash >>> 0;
}
