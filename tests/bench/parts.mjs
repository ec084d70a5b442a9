// The parts of a benchmark, one after the other. A part that fails does not lose the results of the others.

/**
 * @template T
 * @typedef {object} Part
 * @property {string} name
 * @property {() => T[] | Promise<T[]>} run
 */

/**
 * @template T
 * @template {Part<T>} P
 * @param {Iterable<P>} parts
 * @param {(found: T[], part: P) => void} keep is given each part's results as soon as they are there
 * @param {(name: string, error: unknown) => void} failed is told which part threw, and what
 */
export async function runParts(parts, keep, failed) {
  for (const part of parts) {
    try {
      keep(await part.run(), part);
    } catch (error) {
      failed(part.name, error);
    }
  }
}
