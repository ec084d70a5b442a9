// What the measurements of web/docs/carried.md ask of the native command: build/native/qkv.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from '../../web/tools/common.mjs';

/** @typedef {[source: string, reference: string]} Pair */

/** @param {string} file a source, a tab, a reference a line @returns {Pair[]} */
export const readPairs = (file) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => /** @type {Pair} */ (line.split('\t', 2)));

/** @param {string[]} args @param {string} input */
function qkv(args, input = '') {
  const limits = { maxBuffer: 1 << 28, encoding: /** @type {const} */ ('utf8') };
  const { status, stdout, stderr } = spawnSync(at('build', 'native', 'qkv'), args, { input, ...limits });
  if (status !== 0) throw new Error(`qkv ${args.join(' ')}: ${stderr}`);
  return { stdout, stderr };
}

/**
 * @param {string} model 'en-fr', or what its folder is called
 * @param {string[]} texts
 * @param {string[]} more options of the command
 */
export function translate(model, texts, ...more) {
  const { stdout, stderr } = qkv(
    ['translate', '--model', at('web', 'models', model), ...more],
    `${texts.join('\n')}\n`,
  );
  return { lines: stdout.slice(0, -1).split('\n'), warnings: stderr.split('\n') };
}

/**
 * What `qkv evaluate --json` says of each list of translations; the first is what others are compared with.
 * @param {Pair[]} pairs
 * @param {string[][]} systems
 * @param {string[]} more
 * @returns {{bleu: {score: number, pValue?: number}, chrf: {score: number}, chrfBySentence?: number[]}[]}
 */
export function evaluate(pairs, systems, ...more) {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-carried-'));
  try {
    const write = (/** @type {string} */ name, /** @type {string[]} */ lines) => {
      writeFileSync(join(folder, name), lines.map((line) => `${line}\n`).join(''));
      return join(folder, name);
    };
    const data = write(
      'data.tsv',
      pairs.map((pair) => pair.join('\t')),
    );
    const files = systems.flatMap((lines, i) => ['--hypotheses', write(`${i}.txt`, lines)]);
    return JSON.parse(qkv(['evaluate', '--data', data, ...files, '--json', ...more]).stdout).systems;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {Pair[]} pairs @param {string[]} lines */
export const bleu = (pairs, lines) => evaluate(pairs, [lines], '--samples', '0')[0].bleu.score;
