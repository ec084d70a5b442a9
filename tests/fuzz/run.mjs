// Fuzzes each reader for a while, from the small corpus in the tree: `npm run fuzz -- [seconds each, 60] [name...]`.
// New inputs of libFuzzer stay in build/fuzz/corpus; an input that fails is kept in build/fuzz/findings. The fuzzer
// `folder` gets whole model folders, a thousand at a time, that tests/fuzz/mutate.mjs draws from seeds: it has no
// corpus, each seed is a folder.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { ToolError, at, cmake, fail, run, say, setUp } from '../../web/tools/common.mjs';
import { mutatedFolder, packed } from './mutate.mjs';

const kLimits = [
  '-rss_limit_mb=1024',
  '-malloc_limit_mb=512',
  '-timeout=30', // wall time, also when other programs use the processor
];
const kFoldersAtOnce = 1000;

/** Folders of new seeds until the time is over. Seeds start at the clock, so each run has its own. */
async function drawFolders(program, seconds, findings) {
  const folder = at('build', 'fuzz', 'folders');
  const end = Date.now() + 1000 * seconds;
  let seed = Math.floor(Date.now() / 1000);
  for (let count = 0; Date.now() < end; count += kFoldersAtOnce) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (let i = 0; i < kFoldersAtOnce; ++i, ++seed) writeFileSync(`${folder}/${seed}`, packed(mutatedFolder(seed)));
    // Without runs libFuzzer reads the existing inputs and ends.
    await run(program, [folder, '-runs=0', '-max_len=1048576', '-verbosity=0', ...kLimits, ...findings]);
    say(`fuzz: folder, ${count + kFoldersAtOnce} folders, seeds below ${seed}`);
  }
  rmSync(folder, { recursive: true, force: true });
}

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
    const program = `${folder}/${name}_fuzz`;
    const report = [`-artifact_prefix=${findings}`];
    if (name === 'folder') {
      await drawFolders(program, Number(seconds), report);
      continue;
    }
    const corpora = [learnt, at('tests', 'fuzz', 'corpus', name)];
    const learning = ['-max_len=65536', '-use_value_profile=1', '-print_final_stats=1', '-verbosity=0'];
    await run(program, [...corpora, `-max_total_time=${seconds}`, ...learning, ...kLimits, ...report]);
  }
}

await main(process.argv.slice(2)).catch(fail);
