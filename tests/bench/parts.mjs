// The parts of a benchmark, one after the other. A part that fails does not lose the results of the others.

/**
 * @template T
 * @param {Iterable<() => T[] | Promise<T[]>>} parts
 * @param {(found: T[]) => void} keep is given each part's results as soon as they are there
 * @param {(error: unknown) => void} failed is told what a part threw
 */
export async function runParts(parts, keep, failed) {
  for (const part of parts) {
    try {
      keep(await part());
    } catch (error) {
      failed(error);
    }
  }
}
