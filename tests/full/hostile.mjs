// The fuzzers with a longer time, and the native tests and the command under the sanitizers.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { at, cmake, run } from '../../web/tools/common.mjs';
import { googleTest, inWords } from '../suites.mjs';

/** @param {{seconds: string}} options */
export async function* fuzzers({ seconds }) {
  const names = readdirSync(at('tests', 'fuzz')).filter((name) => name.endsWith('_fuzz.cc'));
  for (const name of names.map((file) => file.replace('_fuzz.cc', ''))) {
    const code = await run(process.execPath, [at('tests', 'fuzz', 'run.mjs'), seconds, name], { check: false });
    const summary = code === 0 ? `${seconds} s, nothing found` : 'see what it printed, and build/fuzz/findings';
    yield { name: `fuzz ${name}`, summary, [code === 0 ? 'passed' : 'failed']: 1 };
  }
}

export async function* sanitizers() {
  const name = 'GoogleTest under AddressSanitizer and UndefinedBehaviorSanitizer';
  const folder = await cmake('native-asan', ['qkv_tests', 'qkv']);
  const env = { ...process.env, UBSAN_OPTIONS: 'print_stacktrace=1' };
  const counts = await googleTest(name, `${folder}/qkv_tests`, { env });
  yield { name, summary: inWords(counts), ...counts };
  yield* commands(`${folder}/qkv`, env);
}

const model = at('tests', 'goldens', 'models', 'tiny-f16');
const oneSided = (name) => at('tests', 'goldens', 'one-sided', name);
const kHostile = 'Where is the kitchen?\n\n\xff\xfe\u2581\u{1f600} >>fra<<\n' + 'a '.repeat(100000) + '\n';

// The command's inputs and expected exit codes.
const kCommands = [
  [['translate', '--model', model], 0],
  [['translate', '--model', model, '--beam', '4', '--trace', '/dev/null'], 0],
  [['score', '--model', model], 1], // lines without a tab
  [['inspect', '--model', model], 0],
  [['scores'], 0],
  [['encode', '--model', oneSided('bert-masked')], 0],
  [['fill-mask', '--model', oneSided('distilbert-masked')], 0],
  [['generate', '--model', oneSided('gpt2-untied'), '--max-length', '5'], 0],
  [['inspect', '--model', tmpdir()], 1],
];

/** The command's code, which is compiled with exceptions and RTTI, on unusual texts. */
function* commands(program, env) {
  const options = { ...env, ASAN_OPTIONS: 'exitcode=99' };
  for (const [args, code] of kCommands) {
    const { status, stderr } = spawnSync(program, args, { input: kHostile, env: options, encoding: 'utf8' });
    const isClean = status === code && !/Sanitizer|runtime error/.test(stderr);
    const summary = isClean ? `ended with ${code}, nothing found` : `ended with ${status}: ${stderr.slice(-2000)}`;
    yield { name: `qkv ${args[0]} under both sanitizers`, summary, [isClean ? 'passed' : 'failed']: 1 };
  }
}
