// Runs all formatters, linters and type checks.
//
// usage: lint.mjs [--fix]   --fix: let the formatters write

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { ToolError, at, fail, root, run, say, setUp } from './common.mjs';

const fix = process.argv.includes('--fix');
const files = (/** @type {string[]} */ ...patterns) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(at(file)));
const node = (/** @type {string} */ script, /** @type {string[]} */ ...args) =>
  run(process.execPath, [at('node_modules', script), ...args]);

/**
 * The first installed version of a clang tool. Formatting differs between versions, so version 19 of clang-format is preferred.
 * @param {string} name
 * @param {number[]} versions in the order of preference
 */
function clangTool(name, versions) {
  for (const candidate of [...versions.map((version) => `${name}-${version}`), name]) {
    try {
      execFileSync(candidate, ['--version'], { stdio: 'ignore' });
      return candidate;
    } catch {
      // not this version
    }
  }
  throw new ToolError(`There is no ${name}: install version 19 or newer.`);
}

async function clangFormat() {
  const sources = files('*.cc', '*.h');
  if (sources.length > 0)
    await run(clangTool('clang-format', [19, 20, 21, 22]), [...(fix ? ['-i'] : ['--dry-run', '--Werror']), ...sources]);
}

/** Runs clang-tidy on the files that have changed. */
async function clangTidy() {
  // clang-tidy reads one compile command for each file, so files are not compiled together. The commands use no precompiled
  // headers. These headers may not be built yet, and they hide missing includes.
  const commands = at('build', 'lint', 'native');
  const options = [
    '--preset',
    'native',
    '-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON',
    '-DQKV_UNITY=OFF',
    '--log-level=ERROR',
  ];
  await run('cmake', ['--fresh', '-B', commands, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  // A file that has passed is not checked again until it, a header or the list of checks changes.
  const digest = (/** @type {string | Buffer} */ text) => createHash('sha256').update(text).digest('hex');
  const shared = digest(
    files('*.clang-tidy', '*.h')
      .map((file) => readFileSync(at(file)))
      .join('\0'),
  );
  const key = (/** @type {string} */ file) => digest(shared + readFileSync(at(file)));
  const clean = at('build', 'lint', 'clang-tidy');
  mkdirSync(clean, { recursive: true });
  const sources = files('core/*.cc').filter((file) => !existsSync(`${clean}/${key(file)}`));
  const tidy = clangTool('clang-tidy', [22, 21, 20, 19]);
  // Highway compiles a kernel once for each kind of processor. Checking one of them is enough.
  const args = ['--quiet', '-p', commands, '--extra-arg=-DHWY_COMPILE_ONLY_STATIC'];
  let failed = 0;
  const worker = async () => {
    for (let file = sources.shift(); file; file = sources.shift()) {
      const code = await run(tidy, [...args, file], { check: false, stdio: ['ignore', 'inherit', 'ignore'] });
      if (code === 0) writeFileSync(`${clean}/${key(file)}`, '');
      else ++failed;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  if (failed > 0) throw new ToolError(`clang-tidy objects to ${failed} files`);
}

const checks = {
  'clang-format': clangFormat,
  'clang-tidy': clangTidy,
  eslint: () => node('eslint/bin/eslint.js', '--max-warnings=0', ...(fix ? ['--fix'] : []), '.'),
  prettier: () => node('prettier/bin/prettier.cjs', '--log-level=warn', fix ? '--write' : '--check', '.'),
  tsc: async () => {
    for (const folder of ['.', 'web/tools', 'web/demo']) await node('typescript/bin/tsc', '-p', folder);
  },
  // The examples' templates are checked with the types of the sources. So nothing has to be built before.
  'vue-tsc': () => node('vue-tsc/bin/vue-tsc.js', '-p', 'examples'),
  'svelte-check': () =>
    node(
      'svelte-check/bin/svelte-check',
      ...['--workspace', 'examples/svelte/src', '--fail-on-warnings', '--output', 'machine'],
      ...['--tsconfig', at('examples/tsconfig.svelte.json')],
      ...['--config', at('examples/svelte.config.js')],
    ),
};

/** Runs every check; returns the names of those that failed. */
export async function lint() {
  /** @type {string[]} */
  const failed = [];
  for (const [name, check] of Object.entries(checks)) {
    say(name);
    await check().catch((error) => {
      console.error(error instanceof ToolError ? error.message : error);
      failed.push(name);
    });
  }
  return { passed: Object.keys(checks).length - failed.length, failed };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setUp({ tests: true }).catch(fail);
  const { failed } = await lint();
  if (failed.length > 0) fail(new ToolError(`lint: ${failed.join(', ')} failed`));
}
