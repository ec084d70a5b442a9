// The examples of web/docs/lab.md: each prints what is written under it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { presets } from '../../web/demo/lab/presets.js';
import { at } from './support.js';

const text = readFileSync(at('web/docs/lab.md'), 'utf8');

test.each(Array.from(text.matchAll(/```js\n([^]*?)```/g), ([, code], i) => [i, code]))(
  'example %i prints what is written under it',
  (_, code) => {
    const promised = Array.from(code.matchAll(/^\s*\/\/ → (.*)$/gm), ([, line]) => line);
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: at('.'),
      encoding: 'utf8',
    });
    expect(promised.length).toBeGreaterThan(0);
    expect(printed.trimEnd().split('\n')).toEqual(promised);
  },
);

test('the table has every experiment', () => {
  const names = Array.from(text.matchAll(/^\| ([^|]+) \|.*\|.*\|.*\|$/gm), ([, name]) => name.trim());
  expect(names).toEqual(expect.arrayContaining(presets.map(({ name }) => name)));
});
