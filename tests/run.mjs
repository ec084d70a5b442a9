// `npm test`: sets up, builds, runs every test and linter, checks the download size. The last line is `N passed, N
// failed`, with `, N skipped` where tests were skipped.
//
// usage: run.mjs [--no-build]

import { constants, setPriority } from 'node:os';
import { ToolError, at, cmake, run, say, setUp } from '../web/tools/common.mjs';
import { googleTest, inWords, jest, none, plus } from './suites.mjs';

let counts = none();

async function main() {
  await setUp({ tests: true });
  if (!process.argv.includes('--no-build')) {
    const { build } = await import('../web/tools/build.mjs');
    await build();
    say('wasm: under the sanitizers, for tests/lib/sanitized.test.js');
    await cmake('wasm-asan');
  }
  counts = plus(counts, await googleTest('GoogleTest', at('build', 'native', 'qkv_tests')));
  const tests = jest('Jest: the library in Node, the command, the pages in browsers');
  // Page tests leave processors idle. Suites that start here use only that idle time, so they do not slow a timed test.
  setPriority(constants.priority.PRIORITY_LOW);
  const { lint } = await import('../web/tools/lint.mjs');
  const linted = await lint();
  counts = plus(counts, { passed: linted.passed, failed: linted.failed.length });
  counts = plus(counts, await tests);
  say('size');
  const size = await run(process.execPath, [at('web/tools/size.mjs')], { check: false });
  counts = plus(counts, { passed: size === 0 ? 1 : 0, failed: size === 0 ? 0 : 1 });
}

await main().catch((error) => {
  console.error(error instanceof ToolError ? error.message : error);
  ++counts.failed;
});
if (counts.passed + counts.failed === 0) ++counts.failed;
console.log(inWords(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
