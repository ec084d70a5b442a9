import { hasRelaxedSimd } from './relaxed.js';

/**
 * The build to run, and where it is: of the package's two the one for this runtime.
 * @param {import('./instantiate.js').WasmSettings} settings
 */
export function choose(settings) {
  if (!('pick' in settings)) return settings;
  const build = hasRelaxedSimd() ? 'relaxed' : 'baseline';
  return { build, from: settings.pick[build] };
}
