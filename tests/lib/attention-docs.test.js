// The examples of web/docs/attention.md: each prints what the page says.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { at } from './support.js';

const [prelude, ...examples] = Array.from(
  readFileSync(at('web/docs/attention.md'), 'utf8').matchAll(/```js\n([^]*?)```/g),
  ([, code]) => code,
);
const kNext = '--- the next example';

/** The output that an example's comments claim. */
const promised = (code) => Array.from(code.matchAll(/^\s*\/\/ → (.*)$/gm), ([, line]) => line);

test('each example prints the output in the document', () => {
  const text = [prelude, ...examples.map((code) => `{\n${code}}\nconsole.log('${kNext}');`)].join('\n');
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', text], {
    cwd: at('.'),
    encoding: 'utf8',
  });
  const found = printed.split(`${kNext}\n`).map((part) => part.trimEnd().split('\n'));
  expect(examples.length).toBeGreaterThan(35);
  for (const [i, code] of examples.entries()) expect([code, found[i]]).toEqual([code, promised(code)]);
});

test('every score, selection, window and mask has a row of a table', async () => {
  const { scores, selections, windows } = await import('../../web/lib/attention/index.js');
  const text = readFileSync(at('web/docs/attention.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const names = [...(await selections()), ...(await windows())];
  for (const name of names) expect(rows.some((row) => row.startsWith(`| \`${name}\``))).toBe(true);
  for (const { name, equation, source, parameters } of await scores()) {
    const row = rows.find((line) => line.startsWith(`| \`${name}\``));
    for (const part of [equation.replaceAll('|', '\\|'), source, ...parameters.map((spec) => spec.name)]) {
      expect(row).toContain(part);
    }
  }
});
