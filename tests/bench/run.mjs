// The benchmark: qkv and its peers on the same work, in turn, in Node, in Chromium and natively.
//
// usage: run.mjs [--only REGEX] [--rounds N] [--host node|chromium|native] [--json FILE] [--no-build]
//   --only REGEX   of "work, host, engine"
//   --rounds N     turns of every engine; 5 unless given
//   --host NAME    one host instead of all three
//   --json FILE    adds the rows to it as lines of JSON; tests/bench/history.jsonl is the project's own
//   --no-build     takes what is built already

import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ToolError, cmake, fail, say, setUp } from '../../web/tools/common.mjs';
import { openChromium } from './hosts/chromium.mjs';
import { openNative } from './hosts/native.mjs';
import { openNode } from './hosts/node.mjs';
import { installPeers } from './install.mjs';
import { machine } from './machine.mjs';
import { Bench } from './measure.mjs';
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
      'no-build': { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new ToolError('--rounds is a whole number above 0');
  if (values.host && !kHosts.includes(values.host)) throw new ToolError(`--host is one of ${kHosts.join(', ')}`);
  return { ...values, rounds, hosts: values.host ? [values.host] : kHosts, only: new RegExp(values.only) };
}

/** The engine as it is shipped, and the kernels by themselves. */
async function build(hosts) {
  if (hosts.includes('native')) await cmake('native', ['qkv_bench']);
  if (!hosts.includes('node') && !hosts.includes('chromium')) return;
  for (const preset of ['wasm-baseline', 'wasm-relaxed']) await cmake(preset, ['qkv_wasm', 'qkv_bench']);
}

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

async function measureAll({ hosts, only, rounds }, opened) {
  const bench = new Bench(opened);
  const rows = [];
  try {
    for (const work of workloads) {
      const chosen = chosenSeats(work, { hosts, only });
      if (chosen.length === 0) continue;
      say(work.name);
      for (const host of hosts) {
        const here = chosen.filter((seat) => seat.host === host);
        if (here.length > 0) rows.push(...(await bench.measure(work, here, rounds).catch(failed)));
      }
    }
  } finally {
    await bench.close();
  }
  return rows;
}

/** @param {{host: string, bytes: number, milliseconds: number}} found */
const inWords = ({ host, bytes, milliseconds }) =>
  `- ${host}: ${(bytes / 2 ** 20).toFixed(1)} MiB, in ${(milliseconds / 1000).toFixed(1)} s`;

async function main() {
  const chosen = options();
  const { hosts } = chosen;
  await setUp({ tests: hosts.includes('chromium') });
  if (!chosen['no-build']) await build(hosts);
  await installPeers();
  const chromium = hosts.includes('chromium') ? await openChromium() : undefined;
  const about = machine(chromium?.version);
  const opened = { node: await openNode(), native: await openNative(), ...(chromium && { chromium }) };
  const rows = await measureAll(chosen, opened);
  const memory = chosen.only.test('memory') ? await measureMemory(hosts) : [];

  console.log(
    `\n${Object.entries(about)
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join('\n')}\n`,
  );
  console.log(report(rows));
  if (memory.length > 0) {
    console.log(`### Memory of attention over ${longest.length} positions, beside inputs and output\n`);
    console.log(memory.map(inWords).join('\n'));
  }
  if (chosen.json) {
    const lines = [about, ...rows, ...memory.map((found) => ({ work: `memory ${longest.length}`, ...found }))];
    appendFileSync(chosen.json, lines.map((entry) => `${JSON.stringify(entry, rounded)}\n`).join(''));
  }
}

await main().catch(fail);
