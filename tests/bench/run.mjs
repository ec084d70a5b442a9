// The benchmark: qkv and its peers on the same work, in turn, in Node, in Chromium and natively.
//
// usage: run.mjs [--only REGEX] [--rounds N] [--host node|chromium|native] [--json FILE] [--build DIR | --no-build]
//   --only REGEX   of "work, host, engine"
//   --rounds N     turns of every engine; 5 unless given
//   --host NAME    one host instead of all three
//   --json FILE    adds the rows to it as lines of JSON; tests/bench/history.jsonl is the project's own
//   --build DIR    takes what is built in another folder of the repository than build/, with its package in DIR/dist
//   --no-build     takes what is built already

import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ToolError, at, cmake, fail, say, setUp } from '../../web/tools/common.mjs';
import { footprintTables, measureDownloads, measureMemoryOfTranslation } from './footprint.mjs';
import { openChromium } from './hosts/chromium.mjs';
import { openNative } from './hosts/native.mjs';
import { openNode } from './hosts/node.mjs';
import { installPeers } from './install.mjs';
import { machine } from './machine.mjs';
import { Bench } from './measure.mjs';
import { ensureFolder } from './models/folder.mjs';
import { measureMemory } from './memory.mjs';
import { runParts } from './parts.mjs';
import { report } from './report.mjs';
import { contenders } from './contenders.mjs';
import { limits, longest, workloads } from './workloads.mjs';

const kHosts = ['node', 'chromium', 'native'];

function options() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      host: { type: 'string' },
      json: { type: 'string' },
      build: { type: 'string' },
      'no-build': { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new ToolError('--rounds is a whole number above 0');
  if (values.host && !kHosts.includes(values.host)) throw new ToolError(`--host is one of ${kHosts.join(', ')}`);
  return { ...values, rounds, hosts: values.host ? [values.host] : kHosts, only: new RegExp(values.only) };
}

/** The engine as it is released, and the core alone. */
async function build(hosts) {
  if (hosts.includes('native')) await cmake('native', ['qkv_bench']);
  if (!hosts.includes('node') && !hosts.includes('chromium')) return;
  for (const preset of ['wasm-baseline', 'wasm-relaxed']) await cmake(preset, ['qkv_wasm', 'qkv_bench']);
  await cmake('wasm-threads', ['qkv_wasm']);
  say('package');
  const { bundlePackage } = await import('../../web/tools/bundle.mjs');
  await bundlePackage();
}

/** Folders of the repository. @param {string} [folder] of another build */
const buildsIn = (folder) => ({
  native: at(folder ?? 'build', 'native'),
  baseline: `${folder ?? 'build'}/wasm/baseline`,
  relaxed: `${folder ?? 'build'}/wasm/relaxed`,
  package: folder ? `${folder}/dist` : 'dist',
});

/** The contenders that take part. Limits are measured together with whatever is compared with them. */
function chosenSeats(work, { hosts, only }) {
  const isLimit = limits.includes(work);
  return contenders.filter(
    (contender) =>
      hosts.includes(contender.host) &&
      contender.takes(work) &&
      (isLimit ? isNeeded(contender.host, only) : only.test(labelOf(work, contender))),
  );
}

const labelOf = (work, { host, name }) => `${work.name}, ${host}, ${name}`;
const isNeeded = (host, only) =>
  workloads.some((work) =>
    contenders.some(
      (contender) => contender.host === host && contender.takes(work) && only.test(labelOf(work, contender)),
    ),
  );

/** No time is exact to more digits. */
const rounded = (key, value) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;

/** A part that fails is reported, and the others go on. */
function failed(error) {
  console.error(error);
  process.exitCode = 1;
}

/** Each work on each host, then what is not a time. */
function* partsOf({ hosts, only, rounds }, opened, builds, { bench, rows, footprints, memory }) {
  const { chromium } = opened;
  for (const work of workloads) {
    const chosen = chosenSeats(work, { hosts, only });
    for (const host of hosts) {
      const here = chosen.filter((contender) => contender.host === host);
      if (here.length === 0) continue;
      yield () => {
        say(`${work.name}, ${host}`);
        if ('model' in work) ensureFolder(work.model, work.precision);
        return bench.measure(work, here, rounds).then((found) => kept(rows, found));
      };
    }
  }
  if (chromium && only.test('memory translate')) {
    yield () => measureMemoryOfTranslation(chromium).then((found) => kept(footprints, found));
  }
  if (chromium && only.test('download')) yield () => kept(footprints, measureDownloads(builds));
  yield () => bench.close().then(() => []);
  if (only.test('memory attention')) {
    yield () => measureMemory(hosts, builds).then((found) => kept(memory, found).map(asRow));
  }
}

/** Adds what was found to a list. @template T @param {T[]} list @param {T[]} found */
const kept = (list, found) => (list.push(...found), found);
const asRow = (found) => ({ work: `memory ${longest.length}`, ...found });

/** @param {{host: string, bytes: number, milliseconds: number}} found */
const inWords = ({ host, bytes, milliseconds }) =>
  `- ${host}: ${(bytes / 2 ** 20).toFixed(1)} MiB, in ${(milliseconds / 1000).toFixed(1)} s`;

async function main() {
  const chosen = options();
  const { hosts } = chosen;
  await setUp({ tests: hosts.includes('chromium') });
  const builds = buildsIn(chosen.build);
  if (!chosen.build && !chosen['no-build']) await build(hosts);
  await installPeers();
  const chromium = hosts.includes('chromium') ? await openChromium(builds) : undefined;
  const about = machine(chromium?.version);
  const opened = { node: await openNode(builds), native: await openNative(builds), ...(chromium && { chromium }) };
  const found = { bench: new Bench(opened), rows: [], footprints: [], memory: [] };
  const write = (entries) => {
    if (!chosen.json) return;
    appendFileSync(chosen.json, entries.map((entry) => `${JSON.stringify(entry, rounded)}\n`).join(''));
  };
  write([about]);
  await runParts(partsOf(chosen, opened, builds, found), write, failed);

  console.log(
    `\n${Object.entries(about)
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join('\n')}\n`,
  );
  console.log(report(found.rows));
  console.log(footprintTables(found.footprints));
  if (found.memory.length > 0) {
    console.log(`### Memory of attention over ${longest.length} positions, beside inputs and output\n`);
    console.log(found.memory.map(inWords).join('\n'));
  }
}

await main().catch(fail);
