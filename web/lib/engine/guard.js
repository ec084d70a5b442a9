// Makes the functions of a module throw errors.
import { QkvError, fromPlain } from '../base/errors.js';

/** @typedef {import('./glue.js').WasmModule} WasmModule */
/** @typedef {import('./glue.js').Failed} Failed */

/**
 * The module's functions, with errors thrown instead of returned.
 * @typedef {{[K in keyof WasmModule]: (...args: Parameters<WasmModule[K]>) => Exclude<ReturnType<WasmModule[K]>, Failed>}} GuardedModule
 */

/**
 * Throws the errors that the module returns. A trap (no memory left, a defect) ends the module, because its state is no
 * longer valid. Then this call and all later ones throw the same ENGINE_FAILED.
 * @param {WasmModule} module
 * @param {string} [advice]
 * @returns {GuardedModule}
 */
export function guard(module, advice = 'the next call starts a new one') {
  /** @type {QkvError | null} */
  let failure = null;
  /** @type {(call: (...args: any[]) => any) => (...args: any[]) => any} */
  const guarded =
    (call) =>
    (...args) => {
      if (failure) throw failure;
      let result;
      try {
        result = call.apply(module, args);
      } catch (cause) {
        const message = `the engine stopped (${/** @type {Error} */ (cause).message}): ${advice}`;
        throw (failure = new QkvError('ENGINE_FAILED', message, '', { cause }));
      }
      if (result?.error) throw fromPlain(result.error);
      return result;
    };
  const calls = Object.entries(module).filter(([, value]) => typeof value === 'function');
  return /** @type {any} */ (Object.fromEntries(calls.map(([name, call]) => [name, guarded(call)])));
}
