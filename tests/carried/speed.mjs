// What copying costs ordinary text, in processor time:
//   node tests/carried/speed.mjs en-fr PAIRS.tsv [--rounds 30]
// Sentences that have nothing to carry, so that they are translated alike with copying and without it. Both ways have turns,
// the first of each round being another one each time; a round's ratio is with copying / without. In Node the package
// translates 64 sentences a turn, natively the command translates 400 with one thread.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Translator } from '../../web/lib/index.js';
import { at } from '../../web/tools/common.mjs';
import { readPairs, translate } from './command.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '30' } },
});
const [pair, file] = positionals;
const sentences = readPairs(file)
  .map(([source]) => source)
  .filter((source) => /^[A-Z][\w ,'’"?!-]{20,100}[.!?]$/.test(source) && !/\d/.test(source));

/** Seconds of this process. */
const worked = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
/** Seconds of this process's children that have ended (Linux). */
function workedByChildren() {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * @param {string} name
 * @param {() => number} clock
 * @param {(copy: boolean, round: number) => unknown} run
 */
async function compare(name, clock, run) {
  const timed = async (/** @type {boolean} */ copy, /** @type {number} */ round) => {
    const begin = clock();
    await run(copy, round);
    return clock() - begin;
  };
  for (const copy of [true, false]) await timed(copy, 0);
  /** @type {number[]} */
  const ratios = [];
  for (let round = 0; round < Number(values.rounds); ++round) {
    const [first, second] = [await timed(round % 2 === 0, round), await timed(round % 2 === 1, round)];
    ratios.push(round % 2 === 0 ? first / second : second / first);
  }
  ratios.sort((a, b) => a - b);
  const quartile = (/** @type {number} */ part) => ratios[Math.round((ratios.length - 1) * part)].toFixed(3);
  console.log(`${name}: ${quartile(0.5)} (quartiles ${quartile(0.25)}, ${quartile(0.75)}) of ${ratios.length} rounds`);
}

const [sourceLanguage, targetLanguage] = pair.split('-');
const translator = await Translator.create({ sourceLanguage, targetLanguage, model: at('web', 'models', pair) });
const alike = [];
for (const sentence of sentences.slice(0, 600)) {
  const [with_, without] = [
    await translator.translate(sentence),
    await translator.translate(sentence, { copy: false }),
  ];
  if (with_ === without) alike.push(sentence);
}
console.log(`${pair}: ${alike.length} sentences, ${translator.info.engine}`);
await compare('Node', worked, (copy, round) => {
  const from = (64 * round) % (alike.length - 64);
  return translator.translate(alike.slice(from, from + 64).join('\n'), { copy });
});
translator.destroy();
const some = alike.slice(0, 400);
await compare('native', workedByChildren, (copy) =>
  translate(pair, some, '--threads', '1', ...(copy ? [] : ['--no-copy'])),
);
