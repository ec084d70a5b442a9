// Runs test suites and counts their results: runs one that writes a report, reads the report, adds the counts.

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { at, run, say } from '../web/tools/common.mjs';

/** @typedef {{passed: number, failed: number, skipped: number}} Counts */

const reports = at('build', 'reports');

/** @returns {Counts} */
export const none = () => ({ passed: 0, failed: 0, skipped: 0 });

/** @param {Counts} a @param {Partial<Counts>} b @returns {Counts} */
export const plus = (a, { passed = 0, failed = 0, skipped = 0 }) => ({
  passed: a.passed + passed,
  failed: a.failed + failed,
  skipped: a.skipped + skipped,
});

/** `N passed, N failed`, and `, N skipped` where tests were skipped. @param {Counts} counts */
export const inWords = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/**
 * Runs a suite that writes a JSON report. A suite that ends without a report, or that counts no test, is one failure.
 * @returns {Promise<Counts>}
 */
async function suite(name, command, args, report, read, options = {}) {
  say(name);
  mkdirSync(reports, { recursive: true });
  rmSync(report, { force: true });
  const code = await run(command, args, { ...options, check: false }).catch((error) => {
    console.error(error.message);
    return 1;
  });
  const counts = existsSync(report) ? read(JSON.parse(readFileSync(report, 'utf8'))) : none();
  const silent = counts.passed + counts.failed === 0 || (code !== 0 && counts.failed === 0);
  return silent ? plus(counts, { failed: 1 }) : counts;
}

/**
 * @param {string} name
 * @param {string | string[]} command the program, or an emulator with its arguments and the program
 * @param {object} [options] as `run` takes them
 */
export function googleTest(name, command, options) {
  const [program, ...first] = [command].flat();
  const report = `${reports}/core.json`;
  const read = ({ tests, failures, errors = 0, disabled = 0, testsuites }) => {
    const all = testsuites.flatMap(({ testsuite }) => testsuite);
    const skipped = all.filter(({ result }) => result === 'SKIPPED').length + disabled;
    const failed = failures + errors;
    return { passed: tests - failed - skipped, failed, skipped };
  };
  const flags = [`--gtest_output=json:${report}`, '--gtest_brief=1'];
  return suite(name, program, [...first, ...flags], report, read, options);
}

/** @param {string} name @param {...string} args */
export function jest(name, ...args) {
  const report = `${reports}/jest.json`;
  const read = ({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests }) => ({
    passed: numPassedTests,
    failed: numFailedTests + numRuntimeErrorTestSuites,
    skipped: numPendingTests + numTodoTests,
  });
  const program = at('node_modules', 'jest', 'bin', 'jest.js');
  const flags = ['--experimental-vm-modules', '--no-warnings', program, '--json', `--outputFile=${report}`, ...args];
  // Jest prints its report on stdout too; stderr's is for people.
  return suite(name, process.execPath, flags, report, read, { stdio: ['ignore', 'ignore', 'inherit'] });
}
