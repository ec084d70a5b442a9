// `npm run test:full`: the tests that are too slow for `npm test`. One line for each test, then `N passed, N failed`
// and, where something was skipped, `, N skipped`.
//
// usage: full.mjs [--data DIR] [--fuzz SECONDS] [--only PART,...] [--no-build]
//   --data   a folder with dev.en-fr.tsv (2,000 pairs) and *.train.tsv.gz, for the comparisons with references
//            (or the environment variable QKV_DATA)
//   --fuzz   how long each fuzzer runs [300]
//   --only   some of: parity, int8, compared, traces, tokens, soak, training, brought, arm, fuzz, sanitizers

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ToolError, fail, say, setUp } from '../web/tools/common.mjs';
import { arm } from './full/arm.mjs';
import { brought } from './full/brought.mjs';
import { fuzzers, sanitizers } from './full/hostile.mjs';
import { compared, int8, parity, tokens, traces } from './full/references.mjs';
import { soak } from './full/soak.mjs';
import { training } from './full/train.mjs';
import { inWords, none, plus } from './suites.mjs';

/** In this order. Each yields {name, summary, passed?, failed?, skipped?} for every test. */
const parts = { parity, int8, compared, traces, tokens, soak, training, brought, arm, fuzz: fuzzers, sanitizers };

const options = {
  data: { type: 'string', default: process.env.QKV_DATA },
  fuzz: { type: 'string', default: '300' },
  only: { type: 'string', default: Object.keys(parts).join() },
  'no-build': { type: 'boolean', default: false },
};

async function main() {
  const { values } = parseArgs({ options });
  const names = values.only.split(',');
  const unknown = names.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0) throw new ToolError(`there is no part ${unknown.join()}, but ${Object.keys(parts).join()}`);
  if (!/^[1-9]\d*$/.test(values.fuzz)) throw new ToolError('--fuzz is a number of seconds');
  await setUp({ tests: true });
  if (!values['no-build']) await (await import('../web/tools/build.mjs')).build();

  const data = values.data && resolve(values.data);
  const lines = [];
  let counts = none();
  const add = ({ name, summary, ...found }) => {
    counts = plus(counts, found);
    const mark = found.failed ? 'FAILED' : found.skipped ? 'skipped' : 'passed';
    lines.push(`${mark.padEnd(8)}${name}: ${summary}`);
    say(lines.at(-1));
  };
  for (const name of names) {
    try {
      for await (const result of parts[name]({ data, seconds: values.fuzz })) add(result);
    } catch (error) {
      add({ name, summary: error instanceof ToolError ? error.message : String(error?.stack ?? error), failed: 1 });
    }
  }
  console.log(['', ...lines, inWords(counts)].join('\n'));
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

await main().catch(fail);
