// `npm run claims`: measures what the papers claim of attention in recurrent models, as web/docs/claims.md reports it.
// Each part writes web/docs/claims/PART.json, and PART.svg, a plot of it.
//
// usage: run.mjs [--only PART,...] [--no-build]
//   --only       some of: hull, tasks, encoding
//   --no-build   take the programs that build/native holds

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ToolError, at, cmake, fail, say, setUp } from '../../web/tools/common.mjs';
import { encoding } from './encoding.mjs';
import { hull } from './hull.mjs';
import { tasks } from './tasks.mjs';

/**
 * @typedef {object} Places
 * @property {string} qkv the command
 * @property {(target: string) => Promise<string>} tool builds a native program and says where it is
 * @property {string} build where to work
 * @property {string} docs where results go
 */

/** In this order. Each gives its result in a sentence. @type {Record<string, (places: Places) => Promise<string>>} */
const parts = { hull, tasks, encoding };

const options = {
  only: { type: 'string', default: Object.keys(parts).join() },
  'no-build': { type: 'boolean', default: false },
};

async function main() {
  const { only, 'no-build': built } = parseArgs({ options }).values;
  const names = only.split(',');
  const unknown = names.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0) throw new ToolError(`there is no part ${unknown.join()}, but ${Object.keys(parts).join()}`);
  if (!built) await setUp({ tests: true });
  const tool = async (name) => join(built ? at('build', 'native') : await cmake('native', [name]), name);
  const docs = at('web', 'docs', 'claims');
  mkdirSync(docs, { recursive: true });
  const qkv = await tool('qkv');
  for (const name of names) {
    say(name);
    const build = at('build', 'claims', name);
    mkdirSync(build, { recursive: true });
    say(`${name}: ${await parts[name]({ qkv, tool, build, docs })}`);
  }
}

await main().catch(fail);
