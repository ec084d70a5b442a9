// The examples of web/docs/translator-api.md: each prints what the page says.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { at } from './support.js';

const examples = Array.from(
  readFileSync(at('web/docs/translator-api.md'), 'utf8').matchAll(/```js\n([^]*?)```/g),
  ([, code], i) => [i + 1, code],
);
/** The output that an example's comments claim. */
const promised = (code) => Array.from(code.matchAll(/^\s*\/\/ → (.*)$/gm), ([, line]) => line);

test('the document has examples, and some print', () => {
  expect(examples.length).toBeGreaterThan(2);
  expect(examples.flatMap(([, code]) => promised(code)).length).toBeGreaterThan(2);
});

test.each(examples)('example %i prints what is written under it', (_, code) => {
  const options = { cwd: at('.'), encoding: 'utf8' };
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], options);
  expect(printed.split('\n').filter(Boolean)).toEqual(promised(code));
});
