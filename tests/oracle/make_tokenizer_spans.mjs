// Ids and spans by Hugging Face's own library (the Rust crate behind npm's `tokenizers`, 0.23.2), of lines with
// difficult spans: white space that goes with <mask>, prefixes, replaced text. And ties of unigrams, which that library
// breaks by sums in float64:
//
//     node tests/oracle/make_tokenizer_spans.mjs
//
// writes tests/goldens/tokenizers/spans.json: for each tokenizer.json, or each of its own ("ties"), lines of {text,
// ids, spans}, where spans are begin and end of each piece in bytes of UTF-8.
import { readFileSync, writeFileSync } from 'node:fs';
import { Tokenizer } from 'tokenizers';

const folder = new URL('../goldens/tokenizers/', import.meta.url);

const kLines = [
  ...['It is a <mask> day.', 'a <mask>', ' <mask> b', '<mask>', '  <mask>  x', 'a  <mask><mask> b', 'a\u3000<mask>é'],
  ...[
    ' ',
    '  ',
    '   a',
    'a   b',
    'a ',
    'a  ',
    '\t a\n b',
    '\r\n a',
    ' \u3000 a',
    'é',
    'é e\u0301 x',
    'ﬁ ½ ①',
    '…',
    '日本',
  ],
  ...[
    'ｆｕｌｌ width',
    'Ünseen  two   spaces…',
    '[MASK] a [MASK]',
    'a[MASK]b',
    "Don't you’re",
    '<s> a </s>',
    'İstanbul',
  ],
];

/** Every piece has the same score: sums of 0.7 are equal in float64 but not in float32. */
const ties = {
  version: '1.0',
  added_tokens: [],
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  model: {
    type: 'Unigram',
    unk_id: 0,
    vocab: ['<unk>', '▁', '1', '.', '0', '00'].map((piece) => [piece, -0.7]),
    byte_fallback: false,
  },
};

async function linesOf(json, texts) {
  const tokenizer = Tokenizer.fromString(json);
  const lines = [];
  for (const text of texts) {
    const encoding = await tokenizer.encode(text, null, { addSpecialTokens: false });
    const bytes = [0];
    for (const character of text) bytes.push(bytes.at(-1) + Buffer.byteLength(character));
    const spans = encoding.getOffsets().flatMap(([begin, end]) => [bytes[begin], bytes[end]]);
    lines.push({ text, ids: encoding.getIds(), spans });
  }
  return lines;
}

const goldens = {};
for (const name of ['bert-uncased', 'roberta', 'gpt2', 'unigram']) {
  goldens[name] = { lines: await linesOf(readFileSync(new URL(`${name}.json`, folder), 'utf8'), kLines) };
}
const json = JSON.stringify(ties);
goldens.ties = { json, lines: await linesOf(json, ['1.000', '1.00000', '000.000 1000']) };
const entries = Object.entries(goldens).map(([name, { lines, ...rest }]) => {
  const rows = lines.map((line) => JSON.stringify(line)).join(',\n');
  return `${JSON.stringify(name)}: ${JSON.stringify({ ...rest, lines: null }).replace('null', `[\n${rows}\n]`)}`;
});
writeFileSync(new URL('spans.json', folder), `{${entries.join(',\n')}}\n`);
