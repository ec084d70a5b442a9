// The rows of the matrix that need no registry. `npm run test:hosts` runs the others too.

import { readFileSync } from 'node:fs';
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

test('the documents are those that the matrix makes', () => {
  for (const [path, text] of Object.entries(documents())) expect(readFileSync(at('web/docs', path), 'utf8')).toBe(text);
});
