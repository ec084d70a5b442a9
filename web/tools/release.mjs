// Checks the packages of a release for mistakes, then packs them for npm.
//
// usage: release.mjs TAG   the tarballs are written to build/release/

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ToolError, at, fail, run } from './common.mjs';
import { packages } from './model-packages.mjs';

/** The packages' folders: the library, the command and the pages as they are built, and the models. */
export const folders = [
  'dist',
  'build/qkv-cli',
  'build/site',
  ...Object.keys(packages).map((name) => `web/models/${name}`),
];

/** The placeholders in package.json that a maintainer replaces before the first release. */
const kPlaceholder = /\b(OWNER|AUTHOR)\b/;

/**
 * The problems of a release.
 * @param {string} tag such as v0.2.0
 * @param {(path: string) => string} read the text of a file of the repository
 * @returns {string[]}
 */
export function problems(tag, read) {
  const version = tag.replace(/^v/, '');
  const found = [];
  for (const folder of folders) {
    const manifest = read(`${folder}/package.json`);
    const own = JSON.parse(manifest);
    const peers = Object.entries({ ...own.peerDependencies, ...own.dependencies });
    const others = peers.filter(([name]) => name.startsWith('qkv')).map(([, its]) => its);
    const isOther = [own.version, ...others].some((its) => its !== version);
    if (isOther) found.push(`${folder}/package.json is not all of version ${version}`);
    if (kPlaceholder.test(manifest)) found.push(`${folder}/package.json has placeholders: fill in package.json`);
  }
  if (!read('CHANGELOG.md').includes(`\n## [${version}]`)) found.push(`CHANGELOG.md has no section for ${version}`);
  return found;
}

/** @param {string} [tag] */
async function main(tag = '') {
  const found = problems(tag, (path) => readFileSync(at(path), 'utf8'));
  if (found.length > 0) throw new ToolError(found.join('\n'));
  const out = at('build', 'release');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await run('npm', ['pack', '--silent', '--pack-destination', out, ...folders.map((folder) => at(folder))]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv[2]).catch(fail);
