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
import { report } from './report.mjs';
import { seats } from './seats.mjs';
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

/** The engine as it is shipped, and the core by itself. */
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

/** Those that take part. Limits are measured with whatever is held against them. */
function chosenSeats(work, { hosts, only }) {
  const isLimit = limits.includes(work);
  return seats.filter(
    (seat) =>
      hosts.includes(seat.host) &&
      seat.takes(work) &&
      (isLimit ? isNeeded(seat.host, only) : only.test(labelOf(work, seat))),
  );
}

const labelOf = (work, { host, name }) => `${work.name}, ${host}, ${name}`;
const isNeeded = (host, only) =>
  workloads.some((work) =>
    seats.some((seat) => seat.host === host && seat.takes(work) && only.test(labelOf(work, seat))),
  );

/** No time is known to more digits. */
const rounded = (key, value) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;

/** What has been measured is still worth having. */
function failed(error) {
  console.error(error);
  process.exitCode = 1;
  return [];
}

/** @returns {Promise<{rows: object[], footprints: import('./footprint.mjs').Footprint[]}>} */
async function measureAll({ hosts, only, rounds }, opened, builds) {
  const bench = new Bench(opened);
  const rows = [];
  const footprints = [];
  const measured = workloads.filter((work) => chosenSeats(work, { hosts, only }).length > 0);
  for (const work of measured) if ('model' in work) ensureFolder(work.model, work.precision);
  try {
    for (const work of measured) {
      const chosen = chosenSeats(work, { hosts, only });
      say(work.name);
      for (const host of hosts) {
        const here = chosen.filter((seat) => seat.host === host);
        if (here.length > 0) rows.push(...(await bench.measure(work, here, rounds).catch(failed)));
      }
    }
    if (opened.chromium && only.test('memory translate')) {
      say('memory translate');
      footprints.push(...(await measureMemoryOfTranslation(opened.chromium).catch(failed)));
    }
    if (opened.chromium && only.test('download')) footprints.push(...measureDownloads(builds));
  } finally {
    await bench.close();
  }
  return { rows, footprints };
}

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
  const { rows, footprints } = await measureAll(chosen, opened, builds);
  const memory = chosen.only.test('memory attention') ? await measureMemory(hosts, builds) : [];

  console.log(
    `\n${Object.entries(about)
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join('\n')}\n`,
  );
  console.log(report(rows));
  console.log(footprintTables(footprints));
  if (memory.length > 0) {
    console.log(`### Memory of attention over ${longest.length} positions, beside inputs and output\n`);
    console.log(memory.map(inWords).join('\n'));
  }
  if (chosen.json) {
    const lines = [
      about,
      ...rows,
      ...footprints,
      ...memory.map((found) => ({ work: `memory ${longest.length}`, ...found })),
    ];
    appendFileSync(chosen.json, lines.map((entry) => `${JSON.stringify(entry, rounded)}\n`).join(''));
  }
}

await main().catch(fail);
