// Thousands of sentences against PyTorch and SentencePiece, and int8 against floats. These tests need a folder of
// sentences that the repository does not hold and, except the last, Debian's Python packages. Without them they are
// skipped.

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

const kModel = at('tests', 'goldens', 'en-fr'); // a float model
const kDefault = at('web', 'models', 'en-fr');
const kCompared = at('web', 'models', 'compared');
const kFolder = at('build', 'full');
const kPython = '/usr/bin/python3'; // Debian's Python, which has Debian's packages
const kTraced = 200;
// How many of 2,000 translations may differ, each at a near tie that rounding decides.
const kMayDiffer = { 1: 3, 4: 10 };
// The same between our own builds in int8, which are written to compute the same bits.
const kBuildsMayDiffer = 10;
// How far int8 may be from floats.
const kBleu = 0.3;
const kForced = 0.98;

const quiet = { stdio: ['ignore', 'ignore', 'ignore'], check: false };
const oracle = (name) => at('tests', 'oracle', name);

/**
 * Why these tests cannot run here, or null. @param {string
 * undefined} data @param {string} file @param {string} [module]
 */
async function missing(data, file, module) {
  if (!data) return 'needs a folder of sentences: --data DIR';
  if (!existsSync(data) || !readdirSync(data).some((name) => name.endsWith(file))) return `${data} holds no ${file}`;
  if (!module) return null;
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

/** The English side of the development set, line by line. */
function sourceLines(pairs, count = Infinity) {
  const lines = readFileSync(pairs, 'utf8').trimEnd().split('\n').slice(0, count);
  const path = join(kFolder, `sources-${lines.length}.txt`);
  mkdirSync(kFolder, { recursive: true });
  writeFileSync(path, lines.map((line) => `${line.split('\t')[0]}\n`).join(''));
  return path;
}

/** The command and both builds of the WebAssembly, each translating a line into a line. */
function engines(model, beam) {
  const script = [oracle('translate.mjs')];
  const relaxed = ['--experimental-wasm-relaxed-simd', '--no-liftoff', ...script, 'relaxed'];
  return {
    native: [at('build', 'native', 'qkv'), ['translate', '--model', model, '--beam', String(beam), '--no-copy']],
    baseline: [process.execPath, [...script, 'baseline', String(beam), model]],
    relaxed: [process.execPath, [...relaxed, String(beam), model]],
  };
}

/** PyTorch's translations. They take long, so they are made again only when their inputs have changed. */
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
  if (why) return yield { name: 'parity with PyTorch', summary: why, skipped: 1 };
  const pairs = join(data, 'dev.en-fr.tsv');
  const sources = sourceLines(pairs);
  for (const beam of [1, 4]) {
    const theirs = await reference(pairs, beam);
    for (const [engine, [command, args]] of Object.entries(engines(kModel, beam))) {
      const ours = join(kFolder, `${engine}-beam${beam}.txt`);
      const compared = join(kFolder, `${engine}-beam${beam}.differences.txt`);
      const translated = await between(sources, ours, command, args);
      await between(null, compared, kPython, [oracle('parity.py'), 'compare', theirs, ours]);
      const summary = readFileSync(compared, 'utf8').trimEnd().split('\n').at(-1);
      const [, differing, unexcused] = /(\d+) differ, (\d+) of them/.exec(summary) ?? [summary, 'Infinity', 'Infinity'];
      const isGood = translated === 0 && Number(unexcused) === 0 && Number(differing) <= kMayDiffer[beam];
      yield { name: `parity with PyTorch, ${engine}, beam ${beam}`, summary, [isGood ? 'passed' : 'failed']: 1 };
    }
  }
}

/** BLEU to two places, as bleu.py says it. */
async function bleu(texts, references) {
  const report = join(kFolder, 'bleu.txt');
  await between(null, report, kPython, [oracle('bleu.py'), texts, references]);
  return Number(/^BLEU\S+ = ([\d.]+)/.exec(readFileSync(report, 'utf8'))?.[1] ?? NaN);
}

const linesOf = (path) => readFileSync(path, 'utf8').trimEnd().split('\n');

const verdict = (isGood) => ({ [isGood ? 'passed' : 'failed']: 1 });

/** Files of translations by engine, of the engines that did translate. */
async function byEngines(model, beam, sources, name) {
  const translated = {};
  for (const [engine, [command, args]] of Object.entries(engines(model, beam))) {
    const ours = join(kFolder, `${name}-${engine}-beam${beam}.txt`);
    if ((await between(sources, ours, command, args)) === 0) translated[engine] = ours;
  }
  return translated;
}

/** WebAssembly's translations against the command's. */
function* besideNative(translated, model) {
  for (const engine of ['baseline', 'relaxed']) {
    const name = `${model}, ${engine} beside native`;
    if (!translated[engine] || !translated.native) {
      yield { name, summary: 'it did not translate', failed: 1 };
      continue;
    }
    const [ours, native] = [linesOf(translated[engine]), linesOf(translated.native)];
    const differing = native.filter((line, i) => line !== ours[i]).length;
    const isGood = differing <= kBuildsMayDiffer && ours.length === native.length;
    yield { name, summary: `${differing} of ${native.length} differ`, ...verdict(isGood) };
  }
}

/**
 * The int8 models that the demo offers for comparison: our builds against each other. @param {{data?: string}} options
 */
export async function* compared({ data }) {
  const why = await missing(data, 'dev.en-fr.tsv');
  if (why) return yield { name: 'compared models, our builds beside each other', summary: why, skipped: 1 };
  const sources = sourceLines(join(data, 'dev.en-fr.tsv'));
  const isFolder = (entry) => entry.isDirectory();
  for (const { name } of readdirSync(kCompared, { withFileTypes: true }).filter(isFolder)) {
    yield* besideNative(await byEngines(join(kCompared, name), 1, sources, name), name);
  }
}

/**
 * Compares the translations of our builds with each other: of the float model in int8, and of the default model. Compares
 * the first model in int8 with its floats, too.
 * @param {{data?: string}} options
 */
export async function* int8({ data }) {
  const why = await missing(data, 'dev.en-fr.tsv');
  if (why) return yield { name: 'int8 beside floats', summary: why, skipped: 1 };
  const pairs = join(data, 'dev.en-fr.tsv');
  const sources = sourceLines(pairs);
  const references = join(kFolder, 'references.txt');
  writeFileSync(
    references,
    linesOf(pairs)
      .map((line) => `${line.split('\t')[1]}\n`)
      .join(''),
  );

  const rounded = join(kFolder, 'int8');
  await run(at('build', 'native', 'qkv'), ['quantize', kModel, rounded]);
  for (const beam of [1, 4]) {
    yield* besideNative(await byEngines(kDefault, beam, sources, 'default'), `the default model, beam ${beam}`);
    const translated = await byEngines(rounded, beam, sources, 'int8');
    yield* besideNative(translated, `int8, beam ${beam}`);
    const floats = join(kFolder, `floats-native-beam${beam}.txt`);
    await between(sources, floats, ...engines(kModel, beam).native);
    const scores = [await bleu(translated.native, references), await bleu(floats, references)];
    yield {
      name: `int8 beside floats, BLEU, beam ${beam}`,
      summary: `${scores[0].toFixed(2)}, in floats ${scores[1].toFixed(2)}`,
      ...verdict(Math.abs(scores[0] - scores[1]) <= kBleu),
    };
  }

  const counted = join(kFolder, 'forced.json');
  await between(sources, counted, process.execPath, [oracle('forced.mjs'), rounded, kModel]);
  const { pieces, equal } = JSON.parse(readFileSync(counted, 'utf8'));
  yield {
    name: "int8, forced along floats' greedy translations",
    summary: `${equal} of ${pieces} pieces are its likeliest too, ${((100 * equal) / pieces).toFixed(2)} %`,
    ...verdict(pieces > 0 && equal >= kForced * pieces),
  };
}

/** @param {{data?: string}} options */
export async function* traces({ data }) {
  const name = 'every weight of whole traces, against float64';
  const why = await missing(data, 'dev.en-fr.tsv', 'torch');
  if (why) return yield { name, summary: why, skipped: 1 };
  const sources = sourceLines(join(data, 'dev.en-fr.tsv'), kTraced);
  const trace = join(kFolder, 'traces.jsonl');
  const args = ['translate', '--model', kModel, '--trace', trace, '--no-copy'];
  const traced = await between(sources, '/dev/null', at('build', 'native', 'qkv'), args);
  const report = join(kFolder, 'traces.txt');
  const compared = await between(null, report, kPython, [oracle('full_parity.py'), kModel, trace]);
  const summary = readFileSync(report, 'utf8').trimEnd().split('\n').join('; ');
  yield { name, summary, [traced === 0 && compared === 0 ? 'passed' : 'failed']: 1 };
}

/** @param {{data?: string}} options */
export async function* tokens({ data }) {
  const name = 'pieces, spans and text beside SentencePiece';
  const why = await missing(data, '.train.tsv.gz', 'sentencepiece');
  if (why) return yield { name, summary: why, skipped: 1 };
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
    summary: readFileSync(report, 'utf8').trimEnd().split('\n').at(-1),
    [code === 0 ? 'passed' : 'failed']: 1,
  };
}
