// The examples of web/docs/interventions.md: each prints what is written under it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { at } from './support.js';

const examples = Array.from(
  readFileSync(at('web/docs/interventions.md'), 'utf8').matchAll(/```js\n([^]*?)```/g),
  ([, code], i) => [i + 1, code],
);

test('there are examples', () => expect(examples.length).toBeGreaterThan(1));

test.each(examples)('example %i prints what is written under it', (_, code) => {
  const promised = Array.from(code.matchAll(/^\s*\/\/ → (.*)$/gm), ([, line]) => line);
  const options = { cwd: at('.'), encoding: 'utf8' };
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], options);
  expect(printed.split('\n').filter(Boolean)).toEqual(promised);
  expect(promised.length).toBeGreaterThan(0);
});
