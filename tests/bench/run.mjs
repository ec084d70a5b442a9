// The benchmark: qkv and its peers on the same work, in turn, in Node, in Chromium and natively.
//
// usage: run.mjs [--only REGEX] [--rounds N] [--host node|chromium|native] [--against last|RUN] [--no-vnni]
//                [--json FILE] [--build DIR | --no-build]
//   --only REGEX     of "work, host, engine"
//   --rounds N       turns of every engine; 5 unless given
//   --host NAME      one host instead of all three
//   --against RUN    names each row that is more than 5 % slower than in tests/bench/history.jsonl; RUN is the beginning
//                    of a run's `when`, or `last`: each row as it was last measured on such a processor
//   --no-vnni        V8 computes the dot product of bytes in two steps, as on processors without AVX-VNNI
//   --json FILE      adds the rows to it as lines of JSON, each when it is done; build/bench/rows.jsonl unless given
//   --build DIR      takes what is built in another folder of the repository than build/, with its package in DIR/dist
//   --no-build       takes what is built already

import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { ToolError, at, cmake, fail, say, setUp } from '../../web/tools/common.mjs';
import { kTwoSteps, twoStepFlags } from './dot.mjs';
import { footprintTables, measureDownloads, measureMemoryOfTranslation } from './footprint.mjs';
import { chosenRun, compared, comparisonInWords, runsOf } from './history.mjs';
import { openChromium } from './hosts/chromium.mjs';
import { openNative } from './hosts/native.mjs';
import { knownFlags, openNode } from './hosts/node.mjs';
import { serveArrivals } from './arrivals.mjs';
import { installPeers } from './install.mjs';
import { machine } from './machine.mjs';
import { Bench } from './measure.mjs';
import { ensureFolder } from './models/folder.mjs';
import { measureMemory } from './memory.mjs';
import { runParts } from './parts.mjs';
import { measureVisits } from './visits.mjs';
import { report } from './report.mjs';
import { contenders, relaxedFlags } from './contenders.mjs';
import { limits, longest, workloads } from './workloads.mjs';

const kHistory = at('tests', 'bench', 'history.jsonl');
const kHosts = ['node', 'chromium', 'native'];

function options() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      host: { type: 'string' },
      against: { type: 'string' },
      'no-vnni': { type: 'boolean', default: false },
      json: { type: 'string', default: at('build', 'bench', 'rows.jsonl') },
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
  if (hosts.includes('native')) await cmake('native', ['qkv_bench', 'qkv']);
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
function chosenContenders(work, { hosts, only }) {
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

const inJson = (entries) => entries.map((entry) => `${JSON.stringify(entry, rounded)}\n`).join('');

/**
 * Each work on each host, then what is not a time. Each says how its rows are printed.
 * @returns {Generator<import('./parts.mjs').Part<any> & {inWords: (found: any[], all: any[]) => string}>}
 */
function* partsOf({ hosts, only, rounds }, opened, builds, bench) {
  const { chromium } = opened;
  for (const work of workloads) {
    const chosen = chosenContenders(work, { hosts, only });
    for (const host of hosts) {
      const here = chosen.filter((contender) => contender.host === host);
      if (here.length === 0) continue;
      const run = () => {
        if ('model' in work) ensureFolder(work.model, work.precision);
        return bench.measure(work, here, rounds);
      };
      yield { name: `${work.name}, ${host}`, run, inWords: report };
    }
  }
  const footprint = (name, run) => ({ name, run, inWords: footprintTables });
  if (chromium && only.test('memory translate')) {
    yield footprint('memory translate', () => measureMemoryOfTranslation(chromium));
  }
  if (chromium && ['visit cold', 'visit warm'].some((work) => only.test(work))) {
    yield { name: 'visits', run: () => measureVisits(rounds, (label) => only.test(label)), inWords: report };
  }
  if (chromium && only.test('download')) yield footprint('download', () => measureDownloads(builds));
  yield { name: 'closing', run: () => bench.close().then(() => []), inWords: () => '' };
  if (only.test('memory attention')) {
    const run = async () => (await measureMemory(hosts, builds)).map(asRow);
    yield { name: 'memory attention', run, inWords: memoryInWords };
  }
}

const asRow = (found) => ({ work: `memory ${longest.length}`, ...found });

/** @param {{host: string, bytes: number, milliseconds: number}[]} found */
const memoryInWords = (found) =>
  [
    `### Memory of attention over ${longest.length} positions, beside inputs and output\n`,
    ...found.map(
      ({ host, bytes, milliseconds }) =>
        `- ${host}: ${(bytes / 2 ** 20).toFixed(1)} MiB, in ${(milliseconds / 1000).toFixed(1)} s`,
    ),
  ].join('\n');

/** What each host's V8 makes of the dot product; an error where it should take two steps and does not. */
async function dotsOf({ node, chromium }, { hosts, 'no-vnni': noVnni }) {
  const dot = {
    ...(hosts.includes('node') && { node: await node.dot(relaxedFlags) }),
    ...(chromium && { chromium: await chromium.dot() }),
  };
  for (const [host, way] of Object.entries(dot)) {
    if (noVnni && way !== kTwoSteps) throw new ToolError(`${host} does not take two steps: ${way}`);
  }
  return dot;
}

const pairInWords = ([key, value]) => `${key}: ${JSON.stringify(value)}`;

/** Measures part after part, saves and prints each, and returns the rows. Names of parts that fail go to `failures`. */
async function measureAll(chosen, opened, builds, failures) {
  const rows = [];
  const keep = (found, { name, inWords }) => {
    rows.push(...found);
    appendFileSync(chosen.json, inJson(found));
    failures.push(...found.filter(({ error }) => error).map(({ engine, error }) => `${name}, ${engine}: ${error}`));
    if (found.length === 0) return;
    say(name);
    console.log(`\n${inWords(found, rows)}`);
  };
  await runParts(partsOf(chosen, opened, builds, new Bench(opened)), keep, (name, error) => {
    console.error(error);
    failures.push(`${name}: ${error?.message ?? error}`);
    process.exitCode = 1;
  });
  return rows;
}

async function main() {
  const chosen = options();
  const { hosts, against } = chosen;
  await setUp({ tests: hosts.includes('chromium') });
  const arrivals = await serveArrivals();
  const builds = { ...buildsIn(chosen.build), arrivals: arrivals.url };
  if (!chosen.build && !chosen['no-build']) await build(hosts);
  await installPeers();
  const flags = chosen['no-vnni'] ? twoStepFlags : [];
  const chromium = hosts.includes('chromium') ? await openChromium(builds, flags) : undefined;
  const node = await openNode(builds, await knownFlags(flags));
  const opened = { node, native: await openNative(builds), ...(chromium && { chromium }) };
  const dot = await dotsOf(opened, chosen);
  const about = machine({ chromium: chromium?.version, dot, noVnni: chosen['no-vnni'] });
  console.log(`\n${Object.entries(about).map(pairInWords).join('\n')}\n`);
  // Read before this run is added: the file may be the same.
  const before = against && chosenRun(runsOf(readFileSync(kHistory, 'utf8')), against, about);
  mkdirSync(dirname(chosen.json), { recursive: true });
  appendFileSync(chosen.json, inJson([about]));

  const failures = [];
  const rows = await measureAll(chosen, opened, builds, failures);
  await arrivals.close();
  if (before) console.log(comparisonInWords(compared(rows, before)));
  if (failures.length > 0) console.log(['\nNot measured:', ...failures.map((line) => `- ${line}`)].join('\n'));
}

await main().catch(fail);
