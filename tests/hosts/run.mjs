// `npm run test:hosts`: the package in bundlers and hosts, each a fresh project from npm. Prints a line for each check,
// and writes the results into the documents.
//
// usage: run.mjs [ROW...]   all rows when none is named

import { fail } from '../../web/tools/common.mjs';
import { keep, writeDocuments } from './docs.mjs';
import { closeChromium, runRow } from './harness.mjs';
import { rows } from './matrix.mjs';

async function main() {
  const wanted = process.argv.slice(2);
  let failed = 0;
  for (const row of rows.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const begin = performance.now();
    const found = await runRow(row);
    keep(row, found);
    const seconds = ((performance.now() - begin) / 1000).toFixed(0);
    for (const [check, outcome] of Object.entries(found)) {
      const isRight = outcome === 'yes';
      if (!isRight) ++failed;
      console.log(`${isRight ? 'ok    ' : 'FAILED'} ${row.title}: ${check}${isRight ? '' : `\n${outcome}`}`);
    }
    console.log(`       ${seconds} s`);
  }
  writeDocuments();
  await closeChromium();
  if (failed > 0) process.exitCode = 1;
}

await main().catch(fail);
