// Small tokenizers as tokenizer.json, trained on tests/goldens/sentences.txt, and the results of Hugging Face's own
// JavaScript tokenizers for ordinary and unusual lines:
//
//     node tests/oracle/make_tokenizers.mjs
//
// Where that implementation differs from the reference (the Rust crate `tokenizers`), ours follows the reference, and
// the lines avoid the difference: U+0085 and U+FEFF (white space or not), Greek capital sigma at a word's end.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Tokenizer } from '@huggingface/tokenizers';

const folder = new URL('../goldens/tokenizers/', import.meta.url);
const sentences = readFileSync(new URL('../goldens/sentences.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

const counted = (list) => {
  const counts = new Map();
  for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
};
const byCount = (counts) => [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([item]) => item);

/** Byte-pair merges learnt from words, most frequent first. */
function learnMerges(words, count) {
  const parts = new Map([...counted(words)].map(([word, n]) => [word, { symbols: [...word], n }]));
  const merges = [];
  while (merges.length < count) {
    const pairs = new Map();
    for (const { symbols, n } of parts.values()) {
      for (let i = 1; i < symbols.length; ++i) {
        const pair = `${symbols[i - 1]} ${symbols[i]}`;
        pairs.set(pair, (pairs.get(pair) ?? 0) + n);
      }
    }
    const [best] = byCount(pairs);
    if (!best) break;
    merges.push(best);
    const joined = best.replace(' ', '');
    for (const part of parts.values()) {
      const symbols = [];
      for (const symbol of part.symbols) {
        if (symbols.length > 0 && `${symbols.at(-1)} ${symbol}` === best) symbols[symbols.length - 1] = joined;
        else symbols.push(symbol);
      }
      part.symbols = symbols;
    }
  }
  return merges;
}

// GPT-2's alphabet.
const byteCharacters = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, b) => {
    const printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
    return String.fromCodePoint(printable ? b : next++);
  });
})();
const asBytes = (text) => [...new TextEncoder().encode(text)].map((b) => byteCharacters[b]).join('');
const gptWords = (text) =>
  text.match(/'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu) ?? [];

const numbered = (pieces) => Object.fromEntries([...new Set(pieces)].map((piece, id) => [piece, id]));
const added = (pieces, more = {}) =>
  pieces.map(([id, content, options = {}]) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
    ...more,
    ...options,
  }));
const base = { version: '1.0', truncation: null, padding: null };

function bert(lowercase) {
  const text = sentences.map((line) => (lowercase ? line.toLowerCase() : line));
  const words = text.flatMap((line) => line.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []);
  const letters = byCount(counted(words.flatMap((word) => [...word])));
  const endings = byCount(
    counted(words.flatMap((w) => [2, 3, 4].map((n) => w.slice(-n)).filter((e, i) => w.length > i + 2))),
  );
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
  const vocab = numbered([
    ...special,
    ...letters,
    ...letters.map((c) => `##${c}`),
    ...byCount(counted(words.filter((w) => w.length > 1))).slice(0, 120),
    ...endings.slice(0, 60).map((e) => `##${e}`),
    'e',
    'é',
    '##é',
    'ß',
    '##ß',
    '漢',
    '字',
    '!',
    '?',
    '#',
    '##!',
  ]);
  const item = (id, type_id) => ({ SpecialToken: { id, type_id } });
  const of = (id, type_id) => ({ Sequence: { id, type_id } });
  return {
    ...base,
    added_tokens: added(special.map((content) => [vocab[content], content])),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [item('[CLS]', 0), of('A', 0), item('[SEP]', 0)],
      pair: [item('[CLS]', 0), of('A', 0), item('[SEP]', 0), of('B', 1), item('[SEP]', 1)],
      special_tokens: Object.fromEntries(['[CLS]', '[SEP]'].map((id) => [id, { id, ids: [vocab[id]], tokens: [id] }])),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}

function byteLevel(first, last, merges) {
  return numbered([...first, ...byteCharacters, ...merges.map((merge) => merge.replace(' ', '')), ...last]);
}

const byteLevelBpe = (vocab, merges) => ({
  type: 'BPE',
  dropout: null,
  unk_token: null,
  continuing_subword_prefix: '',
  end_of_word_suffix: '',
  fuse_unk: false,
  vocab,
  merges,
});

function gpt2() {
  const merges = learnMerges(sentences.flatMap(gptWords).map(asBytes), 150);
  const vocab = byteLevel([], ['<|endoftext|>'], merges);
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
  return {
    ...base,
    added_tokens: added([[vocab['<|endoftext|>'], '<|endoftext|>', { normalized: true }]]),
    normalizer: null,
    pre_tokenizer: bytes,
    post_processor: bytes,
    decoder: bytes,
    model: byteLevelBpe(vocab, merges),
  };
}

function roberta() {
  const merges = learnMerges(sentences.flatMap((line) => gptWords(` ${line}`)).map(asBytes), 120);
  const vocab = byteLevel(['<s>', '<pad>', '</s>', '<unk>'], ['<mask>'], merges);
  return {
    ...base,
    added_tokens: added([
      ...['<s>', '<pad>', '</s>', '<unk>'].map((content) => [vocab[content], content, { normalized: true }]),
      [vocab['<mask>'], '<mask>', { lstrip: true }],
    ]),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    post_processor: {
      type: 'RobertaProcessing',
      sep: ['</s>', vocab['</s>']],
      cls: ['<s>', vocab['<s>']],
      trim_offsets: true,
      add_prefix_space: true,
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: byteLevelBpe(
      vocab,
      merges.map((merge) => merge.split(' ')),
    ),
  };
}

function unigram() {
  const words = sentences.flatMap((line) => line.split(' ')).map((word) => `▁${word}`);
  const parts = counted(
    words.flatMap((word) => {
      const c = [...word];
      return c.flatMap((_, i) =>
        [1, 2, 3, 4, 5].map((n) => c.slice(i, i + n).join('')).filter((p, n) => [...p].length === n + 1),
      );
    }),
  );
  const special = ['<s>', '<pad>', '</s>', '<unk>'];
  const kept = byCount(parts)
    .filter((p) => parts.get(p) > 3 || [...p].length === 1)
    .slice(0, 260);
  const total = kept.reduce((sum, p) => sum + parts.get(p), 0);
  const score = (p) => Math.fround(Math.log(parts.get(p) / total) * (1 + 0.001 * (p.length % 7)));
  const vocab = [...special.map((p) => [p, 0]), ...kept.map((p) => [p, score(p)]), ['<mask>', 0]];
  const mask = vocab.length - 1;
  const item = (id) => ({ SpecialToken: { id, type_id: 0 } });
  const of = (id) => ({ Sequence: { id, type_id: 0 } });
  return {
    ...base,
    added_tokens: added([...special.map((content, id) => [id, content]), [mask, '<mask>', { lstrip: true }]]),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Replace', pattern: { String: '``' }, content: '"' },
        { type: 'NFD' },
        { type: 'StripAccents' },
        { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
      ],
    },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    post_processor: {
      type: 'TemplateProcessing',
      single: [item('<s>'), of('A'), item('</s>')],
      pair: [item('<s>'), of('A'), item('</s>'), item('</s>'), of('B'), item('</s>')],
      special_tokens: Object.fromEntries(['<s>', '</s>'].map((id, i) => [id, { id, ids: [2 * i], tokens: [id] }])),
    },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    model: { type: 'Unigram', unk_id: 3, vocab, byte_fallback: false },
  };
}

const odd = [
  '',
  ' ',
  '  ',
  'a',
  "It's",
  "we'll they've I'd don't '''s 'S",
  'Café NAÏVE Ångström ﬁne İstanbul',
  'e\u0301e\u0327\u0323',
  '漢字 and 仮名交じり 한국어 텍스트',
  'emoji 👩‍👩‍👧 😀!',
  '  leading and   many    spaces  ',
  'tab\there\nnewline\r\nand more\n\n\n',
  '\u00a0nbsp\u3000wide\u2003em',
  '1234567 3.14159 ½ ² ⅷ ٣',
  'co-operate (e.g. this) [that] {those} <these>',
  'a_b@c.d#e$f%g^h&i*j',
  'x'.repeat(101),
  'y'.repeat(100),
  'null\u0000zero\ufffdwidth\u200b\u00ad\u2028line',
  '[MASK] <mask> <s> </s> <|endoftext|> [CLS][SEP]',
  'a <mask>, the[MASK]and <mask> .',
  'हिन्दी में',
  'ภาษาไทย',
  'العربية',
  'русский ЯЗЫК',
  'ﷺ ㍿ ① ℃',
  'Ω Å K',
  '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 🇫🇷',
  '¿qué? «non» „doch“ …',
  '\u0301combining first',
  'ﬀ ǅ ẞ ſ',
  "``quoted''",
];
// Tabs, and characters for which Rust's and JavaScript's regular expressions differ, are not used with every tokenizer.
const pairs = [
  ['Is it cold?', 'Yes, it is.'],
  ['', 'b'],
  ['The cat sleeps on the chair.', ' '],
];

const tokenizers = {
  'bert-uncased': bert(true),
  'bert-cased': bert(false),
  roberta: roberta(),
  gpt2: gpt2(),
  unigram: unigram(),
};
const config = { clean_up_tokenization_spaces: false };
const goldens = {};
mkdirSync(folder, { recursive: true });
for (const [name, json] of Object.entries(tokenizers)) {
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(json)}\n`);
  const theirs = new Tokenizer(json, config);
  const lines = [...sentences.slice(0, 20), ...odd].map((text) => {
    const { ids } = theirs.encode(text, { add_special_tokens: false });
    return { text, ids, decoded: ids.length > 0 ? theirs.decode(ids, { skip_special_tokens: true }) : '' };
  });
  goldens[name] = {
    lines,
    pairs: pairs.map(([a, b]) => {
      const { ids, token_type_ids: types } = theirs.encode(a, { text_pair: b, return_token_type_ids: true });
      return { a, b, ids, types, single: theirs.encode(a).ids };
    }),
  };
}
const rows = Object.entries(goldens).map(([name, { lines, pairs: two }]) => {
  const list = (items) => `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]`;
  return `${JSON.stringify(name)}: {"lines": ${list(lines)},\n"pairs": ${list(two)}}`;
});
writeFileSync(new URL('goldens.json', folder), `{${rows.join(',\n')}}\n`);
