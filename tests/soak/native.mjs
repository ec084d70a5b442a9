// Gives `qkv translate` COUNT lines in rounds of a thousand, and reports its memory after the first WARM of them and
// after the last.
//
// usage: node native.mjs COMMAND COUNT WARM      prints {first, last, wrong}, memories in bytes

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { settledBytes } from './memory.mjs';
import { isRight, sentences } from './sentences.mjs';

const kRound = 1000;
const [command, ...numbers] = process.argv.slice(2);
const [count, warm] = numbers.map(Number);
const model = fileURLToPath(new URL('../../web/models/en-fr', import.meta.url));
const child = spawn(command, ['translate', '--model', model, '--no-copy'], { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

let first;
let wrong = 0;
let resident = 0;
for (let done = 0; done < count; done += kRound) {
  const round = Array.from({ length: kRound }, (_, i) => sentences[(done + i) % sentences.length]);
  child.stdin.write(round.map(({ source }) => `${source}\n`).join(''));
  for (const { beam } of round) {
    if (!isRight(beam, (await answers.next()).value)) ++wrong;
  }
  resident = await settledBytes(child.pid);
  if (process.env.QKV_SOAK_SAY) console.error(done + kRound, resident);
  if (done + kRound === warm) first = resident;
}
child.stdin.end();
const ended = await new Promise((resolve) => child.on('exit', resolve));
console.log(JSON.stringify({ first, last: resident, wrong, ended }));
