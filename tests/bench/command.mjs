// The command for Node beside the native one: words a second of `qkv translate`, in turns, the best of some rounds; for
// web/docs/benchmark.md. It fails if their outputs differ.
//
// usage: command.mjs MODEL TEXT [ROUNDS]   TEXT: a file of some thousand lines

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { at } from '../../web/tools/common.mjs';

const [model, text, rounds = '3'] = process.argv.slice(2);
const input = readFileSync(text);
const words = String(input).split(/\s+/).filter(Boolean).length;
const kNode = [process.execPath, at('build/qkv-cli/qkv.js')];
const kNative = [at('build/native/qkv')];
const kRuns = [kNative, kNode].flatMap((command) => [1, 2].map((threads) => ({ command, threads })));

/** Seconds of one run, its start included, and what it wrote. */
function run({ command: [program, ...first], threads }, lines) {
  const start = performance.now();
  const options = ['translate', '--model', model, '--beam', '1', '--threads', String(threads)];
  const { status, stdout } = spawnSync(program, [...first, ...options], { input: lines, maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
  return { seconds: (performance.now() - start) / 1000, hash: createHash('sha256').update(stdout).digest('hex') };
}

const best = kRuns.map(() => Infinity);
const hashes = new Set();
for (let round = 0; round < Number(rounds); ++round) {
  for (const [i, one] of kRuns.entries()) {
    const { seconds, hash } = run(one, input);
    hashes.add(hash);
    best[i] = Math.min(best[i], seconds);
  }
}
for (const [i, { command, threads }] of kRuns.entries()) {
  const name = command === kNode ? 'Node' : 'native';
  console.log(`${name}, threads: ${threads}, words/s: ${Math.round(words / best[i])}, seconds: ${best[i].toFixed(2)}`);
}
if (hashes.size > 1) throw new Error('the outputs differ');
