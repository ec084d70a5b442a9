// Thousands of sentences beside PyTorch and SentencePiece. They need Debian's Python packages and a folder of sentences that
// the repository does not hold; without either they are skipped.

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { at, cmake, run, say } from '../../web/tools/common.mjs';

const kModel = at('web', 'models', 'en-fr');
const kFolder = at('build', 'full');
const kPython = '/usr/bin/python3'; // Debian's, which has Debian's packages
const kTraced = 200;
// How many of 2,000 translations may differ, each at a near tie: rounding decides those.
const kMayDiffer = { 1: 3, 4: 10 };

const quiet = { stdio: ['ignore', 'ignore', 'ignore'], check: false };
const oracle = (name) => at('tests', 'oracle', name);

/** Why these cannot run here, or null. @param {string | undefined} data @param {string} file @param {string} module */
async function missing(data, file, module) {
  if (!data) return 'needs a folder of sentences: --data DIR';
  if (!existsSync(data) || !readdirSync(data).some((name) => name.endsWith(file))) return `${data} holds no ${file}`;
  const code = await run(kPython, ['-c', `import ${module}`], quiet).catch(() => 1);
  return code === 0 ? null : `needs ${module} for ${kPython}: apt-get install python3-${module} libopenblas0-pthread`;
}

/** Runs a command with files as its standard input and output; its exit code. */
async function between(input, output, command, args) {
  const files = [input ? openSync(input, 'r') : 'ignore', openSync(output, 'w')];
  try {
    return await run(command, args, { stdio: [...files, 'inherit'], check: false });
  } finally {
    for (const file of files) if (typeof file === 'number') closeSync(file);
  }
}

/** The English side of the development set, a line each. */
function sourceLines(pairs, count = Infinity) {
  const lines = readFileSync(pairs, 'utf8').trimEnd().split('\n').slice(0, count);
  const path = join(kFolder, `sources-${lines.length}.txt`);
  mkdirSync(kFolder, { recursive: true });
  writeFileSync(path, lines.map((line) => `${line.split('\t')[0]}\n`).join(''));
  return path;
}

/** PyTorch's translations: they take long, and are made again only when what they come from has changed. */
async function reference(pairs, beam) {
  const parts = [pairs, join(kModel, 'model.safetensors'), ...['parity.py', 'search.py', 'transformer.py'].map(oracle)];
  const hash = createHash('sha256');
  for (const part of parts) hash.update(readFileSync(part));
  const path = join(kFolder, `beam${beam}-${hash.digest('hex').slice(0, 12)}.jsonl`);
  if (existsSync(path)) return path;
  say(`PyTorch translates, beam ${beam}: this takes many minutes`);
  await run(kPython, [oracle('parity.py'), 'make', kModel, pairs, `${path}.part`, '--beam', String(beam)]);
  renameSync(`${path}.part`, path);
  return path;
}

/** @param {{data?: string}} options */
export async function* parity({ data }) {
  const why = await missing(data, 'dev.en-fr.tsv', 'torch');
  if (why) return yield { name: 'parity with PyTorch', said: why, skipped: 1 };
  const pairs = join(data, 'dev.en-fr.tsv');
  const sources = sourceLines(pairs);
  const script = oracle('translate.mjs');
  for (const beam of [1, 4]) {
    const engines = {
      native: [at('build', 'native', 'qkv'), ['translate', '--model', kModel, '--beam', String(beam)]],
      baseline: [process.execPath, [script, 'baseline', String(beam)]],
      relaxed: [
        process.execPath,
        ['--experimental-wasm-relaxed-simd', '--no-liftoff', script, 'relaxed', String(beam)],
      ],
    };
    const theirs = await reference(pairs, beam);
    for (const [engine, [command, args]] of Object.entries(engines)) {
      const ours = join(kFolder, `${engine}-beam${beam}.txt`);
      const compared = join(kFolder, `${engine}-beam${beam}.differences.txt`);
      const translated = await between(sources, ours, command, args);
      await between(null, compared, kPython, [oracle('parity.py'), 'compare', theirs, ours]);
      const said = readFileSync(compared, 'utf8').trimEnd().split('\n').at(-1);
      const [, differing, unexcused] = /(\d+) differ, (\d+) of them/.exec(said) ?? [said, 'Infinity', 'Infinity'];
      const isGood = translated === 0 && Number(unexcused) === 0 && Number(differing) <= kMayDiffer[beam];
      yield { name: `parity with PyTorch, ${engine}, beam ${beam}`, said, [isGood ? 'passed' : 'failed']: 1 };
    }
  }
}

/** @param {{data?: string}} options */
export async function* traces({ data }) {
  const name = 'every weight of whole traces, against float64';
  const why = await missing(data, 'dev.en-fr.tsv', 'torch');
  if (why) return yield { name, said: why, skipped: 1 };
  const sources = sourceLines(join(data, 'dev.en-fr.tsv'), kTraced);
  const trace = join(kFolder, 'traces.jsonl');
  const args = ['translate', '--model', kModel, '--trace', trace];
  const traced = await between(sources, '/dev/null', at('build', 'native', 'qkv'), args);
  const report = join(kFolder, 'traces.txt');
  const compared = await between(null, report, kPython, [oracle('full_parity.py'), kModel, trace]);
  const said = readFileSync(report, 'utf8').trimEnd().split('\n').join('; ');
  yield { name, said, [traced === 0 && compared === 0 ? 'passed' : 'failed']: 1 };
}

/** @param {{data?: string}} options */
export async function* tokens({ data }) {
  const name = 'pieces, spans and text beside SentencePiece';
  const why = await missing(data, '.train.tsv.gz', 'sentencepiece');
  if (why) return yield { name, said: why, skipped: 1 };
  const folder = await cmake('native', ['spm_dump']);
  const texts = ['en-fr', 'en-de', 'en-es'].map((pair) => join(data, `${pair}.train.tsv.gz`)).filter(existsSync);
  const report = join(kFolder, 'tokens.txt');
  mkdirSync(kFolder, { recursive: true });
  const script = oracle('sentencepiece_parity.py');
  say(`SentencePiece reads ${texts.length} files`);
  const model = join(kModel, 'source.spm');
  const code = await between(null, report, kPython, [script, `${folder}/spm_dump`, model, ...texts]);
  yield {
    name,
    said: readFileSync(report, 'utf8').trimEnd().split('\n').at(-1),
    [code === 0 ? 'passed' : 'failed']: 1,
  };
}
