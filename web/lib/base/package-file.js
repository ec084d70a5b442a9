// Finds a file of the package: in the folder that the caller names, or beside the package's scripts.
import { QkvError } from './errors.js';
import { absoluteUrl } from './runtime.js';

/** The advice of errors when a file of the package is not served. */
export const kCopyAdvice =
  'where a bundler does not copy the files of qkv, copy node_modules/qkv/assets to a folder that is served, such as ' +
  "/qkv/, and pass baseUrl: '/qkv/'";

// The development server of Vite up to version 7 moves the scripts of a package, but not its other files.
const kMovedByVite = /(\/node_modules\/)\.vite\/(?:[^/]+\/)*?deps[^/]*\//;

/**
 * @param {string | undefined} base the folder's absolute URL; it ends in a slash
 * @param {string} name of the file; the part before the last slash is ignored
 * @param {() => URL} beside the URL beside the scripts: a literal `new URL(..., import.meta.url)`, which bundlers follow
 * @returns {string} throws a QkvError, code MISSING_FILE, if the scripts do not know their own URL
 */
export function packageFile(base, name, beside) {
  if (base !== undefined) return base + name.slice(name.lastIndexOf('/') + 1);
  try {
    return inPackage(beside().href, 'qkv');
  } catch (cause) {
    const message = `a bundler converted qkv to CommonJS, so qkv does not know its own URL: keep qkv external, or ${kCopyAdvice}`;
    throw new QkvError('MISSING_FILE', message, 'baseUrl', { cause });
  }
}

/**
 * The absolute URL of a file beside a package's scripts. Next returns a path for `new URL(...).href`.
 * @param {string} url
 * @param {string} name the package's
 */
export const inPackage = (url, name) => absoluteUrl(url.replace(kMovedByVite, `$1${name}/`));

/**
 * @param {string | URL | undefined} baseUrl as a caller gives it
 * @returns {string | undefined} absolute, with a slash at its end
 */
export function baseFolder(baseUrl) {
  if (baseUrl === undefined) return undefined;
  const { href } = new URL(absoluteUrl(baseUrl));
  return href.endsWith('/') ? href : `${href}/`;
}
