import { hasRelaxedSimd, requireRelaxedSimd } from './relaxed.js';

/**
 * The build to run, and its URL or bytes. It chooses between the package's two builds if the settings leave it open.
 * @param {import('./instantiate.js').WasmSettings} settings
 * @returns {{build: string, from: string | ArrayBuffer | WebAssembly.Module}} throws a QkvError, code UNSUPPORTED, for the
 *   relaxed build if it was requested and does not run
 */
export function choose(settings) {
  if (!('pick' in settings)) {
    if (settings.build === 'relaxed') requireRelaxedSimd();
    return settings;
  }
  const build = hasRelaxedSimd() ? 'relaxed' : 'baseline';
  return { build, from: settings.pick[build] };
}
