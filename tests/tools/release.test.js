// The checks that stop a wrong release, and the packages of a right one.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { at } from '../../web/tools/common.mjs';
import { folders, problems } from '../../web/tools/release.mjs';

const text = (path) => readFileSync(at(path), 'utf8');
const { version } = JSON.parse(text('package.json'));
/** The files of a package. @param {string} folder */
const packed = (folder) =>
  JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', folder], { encoding: 'utf8' }))[0].files.map(
    ({ path }) => path,
  );
/** The repository with a maintainer's details filled in. */
const ready = (path) => {
  const filled = text(path).replaceAll('OWNER', 'somebody').replaceAll('AUTHOR', 'Some Body');
  return path === 'CHANGELOG.md' ? filled.replace('\n## ', `\n## [${version}] - 2026-01-01\n\n## `) : filled;
};

test('a release with all fields filled in has no problems', () => {
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
    if (folder === 'build/site') continue; // half a minute; the next test looks at what it would be
    const names = packed(at(folder));
    expect(names).toContain('package.json');
    expect(names.filter((name) => /^(tests|training|node_modules)\//.test(name))).toEqual([]);
  }
});

test('the package of the pages has their models, but for those that are packages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-pages-'));
  const [own, others] = [
    ['index.html', 'assets/x.wasm', 'models/english/x'],
    ['models/en-fr/x', 'models/en-de/x'],
  ];
  for (const file of [...own, ...others]) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  copyFileSync(at('build/site/package.json'), join(folder, 'package.json'));
  expect(packed(folder).toSorted()).toEqual([...own, 'package.json'].toSorted());
  rmSync(folder, { recursive: true });
});

test('the workflow runs files and scripts that exist', () => {
  const workflow = text('.github/workflows/release.yml');
  const scripts = [...workflow.matchAll(/node (web\/\S+)/g)].map(([, file]) => file);
  expect(scripts.length).toBeGreaterThan(0);
  for (const file of scripts) expect(existsSync(at(file))).toBe(true);
  const known = Object.keys(JSON.parse(text('package.json')).scripts);
  for (const [, script] of workflow.matchAll(/npm run (\S+)/g)) expect(known).toContain(script);
});
