// `npm test`: sets up, builds, runs every test and linter. Its last line is `N passed, N failed`, with `, N skipped`
// where tests were skipped.
//
// usage: run.mjs [--no-build]

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { ToolError, at, run, say, setUp } from '../web/tools/common.mjs';

const reports = at('build', 'reports');
const counts = { passed: 0, failed: 0, skipped: 0 };

function count({ passed = 0, failed = 0, skipped = 0 }) {
  counts.passed += passed;
  counts.failed += failed;
  counts.skipped += skipped;
}

/** Runs a suite that writes a JSON report; a suite that dies without one, or counts nothing, is one failure. */
async function suite(name, command, args, report, read, options = {}) {
  say(name);
  const file = `${reports}/${report}`;
  rmSync(file, { force: true });
  const code = await run(command, args, { ...options, check: false }).catch((error) => {
    console.error(error.message);
    return 1;
  });
  const result = existsSync(file) ? read(JSON.parse(readFileSync(file, 'utf8'))) : { passed: 0, failed: 0, skipped: 0 };
  const silent = result.passed + result.failed === 0 || (code !== 0 && result.failed === 0);
  count(silent ? { ...result, failed: result.failed + 1 } : result);
}

function fromGoogleTest({ tests, failures, errors = 0, disabled = 0, testsuites }) {
  const all = testsuites.flatMap(({ testsuite }) => testsuite);
  const skipped = all.filter(({ result }) => result === 'SKIPPED').length + disabled;
  const failed = failures + errors;
  return { passed: tests - failed - skipped, failed, skipped };
}

function fromJest({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests }) {
  return {
    passed: numPassedTests,
    failed: numFailedTests + numRuntimeErrorTestSuites,
    skipped: numPendingTests + numTodoTests,
  };
}

async function main() {
  await setUp({ tests: true });
  if (!process.argv.includes('--no-build')) {
    const { build } = await import('../web/tools/build.mjs');
    await build();
  }
  mkdirSync(reports, { recursive: true });
  await suite(
    'GoogleTest',
    at('build', 'native', 'qkv_tests'),
    [`--gtest_output=json:${reports}/core.json`, '--gtest_brief=1'],
    'core.json',
    fromGoogleTest,
  );
  await suite(
    'Jest: the library in Node, the command, the pages in Chromium',
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings',
      at('node_modules', 'jest', 'bin', 'jest.js'),
      '--json',
      `--outputFile=${reports}/jest.json`,
    ],
    'jest.json',
    fromJest,
    // Jest prints its report on stdout too; people read stderr's.
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const { lint } = await import('../web/tools/lint.mjs');
  const linted = await lint();
  count({ passed: linted.passed, failed: linted.failed.length });
}

await main().catch((error) => {
  console.error(error instanceof ToolError ? error.message : error);
  ++counts.failed;
});
if (counts.passed + counts.failed === 0) ++counts.failed;
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
);
process.exitCode = counts.failed > 0 ? 1 : 0;
