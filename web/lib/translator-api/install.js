// An import of this module defines the classes of the built-in API as globals, if the browser lacks them.
import { CreateMonitor } from '../api/monitor.js';
import { configure, natives } from './configuration.js';
import { LanguageDetector } from './language-detector.js';
import { Translator } from './translator.js';

export { configure };

/** @type {Record<string, any>} */
const classes = { Translator, LanguageDetector, CreateMonitor };

/**
 * Defines the classes as globals.
 * @param {{when?: 'missing' | 'unavailable' | 'always'}} [options] 'missing': only the classes that the browser lacks, as the
 *   import does. 'unavailable': all classes; for each pair of languages the browser's own class is used first, and qkv's if
 *   that has no model, fails, or does not answer. 'always': all classes, and the browser's own are never used
 */
export function install({ when = 'missing' } = {}) {
  if (!['missing', 'unavailable', 'always'].includes(when))
    throw new TypeError("install({ when }): 'missing', 'unavailable' or 'always'");
  for (const [name, value] of Object.entries(classes)) {
    const own = /** @type {any} */ (globalThis)[name];
    if (own && own !== value && when === 'missing') continue;
    if (when === 'always') delete natives[name];
    else if (own && own !== value) natives[name] = own;
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}

install();
