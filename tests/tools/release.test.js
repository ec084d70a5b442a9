// The checks that stop a wrong release, and the packages of a right one.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { at } from '../../web/tools/common.mjs';
import { folders, problems } from '../../web/tools/release.mjs';

const text = (path) => readFileSync(at(path), 'utf8');
const { version } = JSON.parse(text('package.json'));
/** The repository with a maintainer's details filled in. */
const ready = (path) => {
  const filled = text(path).replaceAll('OWNER', 'somebody').replaceAll('AUTHOR', 'Some Body');
  return path === 'CHANGELOG.md' ? filled.replace('\n## ', `\n## [${version}] - 2026-01-01\n\n## `) : filled;
};

test('nothing is wrong with a release of what is filled in', () => {
  expect(problems(`v${version}`, ready)).toEqual([]);
});

test.each([
  ['a tag of another version', 'v9.9.9', ready, folders.length + 1],
  ['placeholders', `v${version}`, (path) => (path.endsWith('.json') ? `${ready(path)} `.replace('somebody', 'OWNER') : ready(path)), folders.length], // prettier-ignore
  [
    'no section in the changelog',
    `v${version}`,
    (path) => (path === 'CHANGELOG.md' ? '# Changelog\n' : ready(path)),
    1,
  ],
])('%s is reported', (_, tag, read, count) => {
  expect(problems(tag, read)).toHaveLength(count);
});

test('every package says where it comes from, and holds no file of the tests or of the training', () => {
  for (const folder of folders) {
    const own = JSON.parse(text(`${folder}/package.json`));
    expect(own.repository.url).toMatch(/^git\+https:.*qkv\.git$/);
    expect([typeof own.author, typeof own.homepage, typeof own.bugs.url, own.private]).toEqual(Array(3).fill('string').concat(undefined)); // prettier-ignore
    const [{ files }] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', at(folder)], { encoding: 'utf8' }),
    );
    const names = files.map(({ path }) => path);
    expect(names).toContain('package.json');
    expect(names.filter((name) => /^(tests|training|node_modules)\//.test(name))).toEqual([]);
  }
});

test('the workflow runs files and scripts that exist', () => {
  const workflow = text('.github/workflows/release.yml');
  const scripts = [...workflow.matchAll(/node (web\/\S+)/g)].map(([, file]) => file);
  expect(scripts.length).toBeGreaterThan(0);
  for (const file of scripts) expect(existsSync(at(file))).toBe(true);
  const known = Object.keys(JSON.parse(text('package.json')).scripts);
  for (const [, script] of workflow.matchAll(/npm run (\S+)/g)) expect(known).toContain(script);
});
