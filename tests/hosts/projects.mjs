// The projects of the matrix: those in projects/, and the examples for users.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../web/tools/common.mjs';

/** @param {string} name of a folder in projects/, or `examples/NAME` */
export const folderOf = (name) => (name.startsWith('examples/') ? at(name) : at('tests/hosts/projects', name));

/** The dependencies of an example from npm's registry: all in its package.json, except this package and its models. */
export function dependenciesOf(name) {
  const file = join(folderOf(name), 'package.json');
  if (!existsSync(file)) return undefined;
  const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8'));
  const others = Object.entries({ ...dependencies, ...devDependencies }).filter(([its]) => !/^qkv(-|$)/.test(its));
  return others.length > 0 ? Object.fromEntries(others) : undefined;
}
