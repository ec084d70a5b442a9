// The examples of web/docs/detect.md: each prints what the page says.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { at } from './support.js';

test('each example prints the output in the document', () => {
  const found = readFileSync(at('web/docs/detect.md'), 'utf8').matchAll(/```js\n([^]*?)```/g);
  const examples = Array.from(found, ([, code]) => code);
  const promised = examples.flatMap((code) => Array.from(code.matchAll(/^\s*\/\/ → (.*)$/gm), ([, line]) => line));
  const [first, ...others] = examples;
  const text = [first, ...others.map((code) => `{\n${code}}`)].join('\n');
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', text], {
    cwd: at('.'),
    encoding: 'utf8',
  });
  expect(promised.length).toBeGreaterThanOrEqual(3);
  expect(printed.trimEnd().split('\n')).toEqual(promised);
});
