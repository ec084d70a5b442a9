// `npm run claims`: measures what the papers claim of attention in recurrent models, as web/docs/claims.md reports it.
// Each part writes web/docs/claims/PART.json and PART.svg, a plot of it.
//
// usage: run.mjs [--only PART,...] [--data FILE] [--no-build]
//   --only       some of: hull, tasks, encoding, length
//   --data       pairs for `length`, lines of SOURCE<TAB>TARGET; without it this part is skipped
//   --no-build   use the programs in build/native

import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ToolError, at, cmake, fail, say, setUp } from '../../web/tools/common.mjs';
import { encoding } from './encoding.mjs';
import { hull } from './hull.mjs';
import { length } from './length.mjs';
import { tasks } from './tasks.mjs';

/**
 * @typedef {object} Places
 * @property {string} qkv the command
 * @property {(target: string) => Promise<string>} tool builds a native program and says where it is
 * @property {string} [data] a file of pairs
 * @property {string} build where to work
 * @property {string} docs where results go
 */

/**
 * In this order. Each returns its result as a sentence. @type {Record<string, (places: Places) => Promise<string>>}
 */
const parts = { hull, tasks, encoding, length };

const options = { only: { type: 'string' }, data: { type: 'string' }, 'no-build': { type: 'boolean', default: false } };

async function main() {
  const { only, data, 'no-build': built } = parseArgs({ options }).values;
  const names = only?.split(',') ?? Object.keys(parts).filter((name) => data || name !== 'length');
  const unknown = names.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0) throw new ToolError(`there is no part ${unknown.join()}, but ${Object.keys(parts).join()}`);
  if (names.includes('length') && !data) throw new ToolError('the part length needs --data FILE');
  if (!built) await setUp({ tests: true });
  const tool = async (name) => join(built ? at('build', 'native') : await cmake('native', [name]), name);
  const docs = at('web', 'docs', 'claims');
  mkdirSync(docs, { recursive: true });
  const qkv = await tool('qkv');
  for (const name of names) {
    say(name);
    const build = at('build', 'claims', name);
    mkdirSync(build, { recursive: true });
    say(`${name}: ${await parts[name]({ qkv, tool, data: data && resolve(data), build, docs })}`);
  }
}

await main().catch(fail);
