// The rows of the matrix that need no registry. `npm run test:hosts` runs all rows.

import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { at } from '../../web/tools/common.mjs';
import { documents } from './docs.mjs';
import { closeChromium, runRow } from './harness.mjs';
import { rows } from './matrix.mjs';

afterAll(closeChromium);

const here = rows.filter(({ dependencies }) => !dependencies).map((row) => [row.title, row]);

test.each(here)('%s', async (_, row) => {
  const found = await runRow(row);
  expect(Object.keys(found).length).toBeGreaterThan(0);
  expect(Object.entries(found).filter(([, outcome]) => outcome !== 'yes')).toEqual([]);
});

test('the documents are up to date with the matrix', () => {
  for (const [path, text] of Object.entries(documents())) expect(readFileSync(at('web/docs', path), 'utf8')).toBe(text);
});

test("README's lines have no await outside a function: Vite 5 and 6 build for browsers that lack it", async () => {
  const text = readFileSync(at('README.md'), 'utf8');
  const blocks = [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
  expect(blocks.length).toBeGreaterThan(3);
  for (const code of blocks) await transform(code, { target: 'es2020', format: 'esm' }); // throws for such a row
});
