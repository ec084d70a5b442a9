// The fuzzers, for longer, and the native tests under the sanitizers.

import { readdirSync } from 'node:fs';
import { at, cmake, run } from '../../web/tools/common.mjs';
import { googleTest, inWords } from '../suites.mjs';

/** @param {{seconds: string}} options */
export async function* fuzzers({ seconds }) {
  const names = readdirSync(at('tests', 'fuzz')).filter((name) => name.endsWith('_fuzz.cc'));
  for (const name of names.map((file) => file.replace('_fuzz.cc', ''))) {
    const code = await run(process.execPath, [at('tests', 'fuzz', 'run.mjs'), seconds, name], { check: false });
    const said = code === 0 ? `${seconds} s, nothing found` : 'see what it printed, and build/fuzz/findings';
    yield { name: `fuzz ${name}`, said, [code === 0 ? 'passed' : 'failed']: 1 };
  }
}

export async function* sanitizers() {
  const name = 'GoogleTest under AddressSanitizer and UndefinedBehaviorSanitizer';
  const folder = await cmake('native-asan', ['qkv_tests']);
  const env = { ...process.env, UBSAN_OPTIONS: 'print_stacktrace=1' };
  const counts = await googleTest(name, `${folder}/qkv_tests`, { env });
  yield { name, said: inWords(counts), ...counts };
}
