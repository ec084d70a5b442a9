// `qkv man` and `qkv completion`: what they print names every command and option, and the shells themselves take it.

import { spawnSync } from 'node:child_process';
import { at } from '../../web/tools/common.mjs';

const command = at('build/native/qkv');
const run = (program, args, input = '') => spawnSync(program, args, { encoding: 'utf8', input });
const qkv = (...args) => run(command, args).stdout;
const has = (program) => run('sh', ['-c', `command -v ${program}`]).status === 0;
const testWith = (program, name, check) =>
  has(program) ? test(name, check) : test.skip(`${name} (skipped: ${program} is not installed)`, check);

const commands = [...qkv('--help').matchAll(/^ {2}([a-z][a-z-]*) {2,}/gm)].map(([, name]) => name);
const options = commands.flatMap((name) =>
  [...qkv(name, '--help').matchAll(/^ +(?:-\w, *)?(--[a-z0-9,-]+)/gm)].flatMap(([, names]) =>
    names.split(',').map((option) => [name, option]),
  ),
);

test('there are commands and options', () => {
  expect(commands).toEqual(expect.arrayContaining(['translate', 'train', 'man', 'completion']));
  expect(options).toContainEqual(['translate', '--beam']);
});

test('the manual page has every command and option', () => {
  const page = qkv('man');
  const sections = new Map(page.split(/^\.SS qkv /m).map((text) => [text.slice(0, text.indexOf('\n')), text]));
  const escape = (text) => text.replaceAll('-', '\\-');
  for (const [name, option] of options) {
    if (option !== '--help') expect(sections.get(escape(name))).toContain(`\\fB${escape(option)}\\fR`);
  }
});

testWith('man', 'man finds no fault in it', () => {
  const { status, stdout, stderr } = run('sh', ['-c', `"${command}" man | MANWIDTH=80 man --warnings -l -`]);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/echo 'I love you\.' \| qkv translate --model web\/models\/en-fr/);
});

/** What bash offers for the last of these words. */
function offered(...words) {
  const script = `source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _qkv; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = run('bash', ['-c', script, command, ...words]);
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

test('bash completes commands, options and files', () => {
  expect(offered('qkv', '').filter((word) => !word.startsWith('-'))).toEqual(commands);
  for (const name of commands) {
    const wanted = options.filter(([of]) => of === name).map(([, option]) => option);
    expect(offered('qkv', name, '--').toSorted()).toEqual(wanted.toSorted());
  }
  expect(offered('qkv', 'translate', '--model', at('web/mod'))).toEqual([at('web/models')]);
  expect(offered('qkv', 'train', at('package.j'))).toEqual([at('package.json')]);
});

testWith('zsh', 'zsh reads its completion', () => {
  const { status, stderr } = run('zsh', ['-n'], qkv('completion', 'zsh'));
  expect([status, stderr]).toEqual([0, '']);
});

testWith('fish', 'fish completes with its completion', () => {
  const script = `${command} completion fish | source; complete -C "qkv translate --ma"`;
  expect(run('fish', ['-c', script]).stdout).toMatch(/^--max-length\t/);
});

test('another shell is refused', () => {
  const { status, stderr } = run(command, ['completion', 'tcsh']);
  expect([status, stderr]).toEqual([2, expect.stringMatching(/tcsh/)]);
});
