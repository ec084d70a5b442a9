// Fuzzes each reader for a while, from the small corpus in the tree: `npm run fuzz -- [seconds each, 60] [name...]`.
// What libFuzzer learns on the way stays in build/fuzz/corpus; a finding's input is kept in build/fuzz/findings.

import { mkdirSync, readdirSync } from 'node:fs';
import { ToolError, at, cmake, fail, run, say, setUp } from '../../web/tools/common.mjs';

async function main([seconds = '60', ...names]) {
  if (!/^[1-9]\d*$/.test(seconds)) throw new ToolError('usage: npm run fuzz -- [seconds each] [name...]');
  await setUp({ tests: true });
  const all = readdirSync(at('tests', 'fuzz'))
    .filter((name) => name.endsWith('_fuzz.cc'))
    .map((name) => name.replace('_fuzz.cc', ''));
  const folder = await cmake('fuzz', ['fuzzers']);
  for (const name of names.length > 0 ? names : all) {
    say(`fuzz: ${name}, ${seconds} s`);
    const [learnt, findings] = [`${folder}/corpus/${name}`, `${folder}/findings/${name}/`];
    for (const path of [learnt, findings]) mkdirSync(path, { recursive: true });
    const limits = [
      '-rss_limit_mb=1024',
      '-malloc_limit_mb=512',
      '-timeout=30', // by the clock, also where other programs take the processor
      '-max_len=65536',
      '-use_value_profile=1',
    ];
    const report = [`-artifact_prefix=${findings}`, '-print_final_stats=1', '-verbosity=0'];
    const args = [learnt, at('tests', 'fuzz', 'corpus', name), `-max_total_time=${seconds}`, ...limits, ...report];
    await run(`${folder}/${name}_fuzz`, args);
  }
}

await main(process.argv.slice(2)).catch(fail);
