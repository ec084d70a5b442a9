// Well-formed model folders with changed content: good folders with a few changes drawn from a seed. Numbers are at and
// around every limit; fields are missing, repeated and moved; steps and templates are unusually long. The same folders
// run through the native engine under its sanitizers (tests/fuzz/folder_fuzz.cc) and through the WebAssembly
// (tests/lib/mutated.test.js).
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { zip } from '../lib/zip.js';

/** @typedef {Record<string, Uint8Array>} Folder its files by name */

const goldens = fileURLToPath(new URL('../goldens/', import.meta.url));
const kFiles = [
  'config.json',
  'generation_config.json',
  'vocab.json',
  'target_vocab.json',
  'source.spm',
  'target.spm',
  'tokenizer.json',
  'model.safetensors',
  'pytorch_model.bin',
];

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** @returns {Folder} */
function read(/** @type {string} */ folder) {
  const names = kFiles.filter((name) => existsSync(`${goldens}${folder}/${name}`));
  return Object.fromEntries(names.map((name) => [name, new Uint8Array(readFileSync(`${goldens}${folder}/${name}`))]));
}

const tiny = read('models/tiny-f16');
const recurrent = {
  model_type: 'qkv-rnn',
  variant: 'luong',
  cell: 'gru',
  score: 'general',
  window: 'local-p',
  half_width: 2,
  d_model: 6,
  encoder_layers: 1,
  decoder_layers: 1,
  vocab_size: 86,
  max_position_embeddings: 64,
  pad_token_id: 85,
  eos_token_id: 0,
};
const sampling = { do_sample: true, temperature: 0.7, top_k: 5, top_p: 0.9, repetition_penalty: 1.1, num_beams: 1 };

/** Good folders. The recurrent one has no weights: the native reader makes them up. @type {Folder[]} */
const kGood = [
  tiny,
  read('models/tiny-pre-norm'),
  { ...tiny, 'config.json': bytes(JSON.stringify(recurrent)), 'model.safetensors': new Uint8Array() },
  ...['bert-masked', 'bert-sequence', 'bert-tokens', 'distilbert-masked', 'roberta-masked', 'roberta-sequence'].map(
    (name) => read(`one-sided/${name}`),
  ),
  ...['gpt2', 'gpt2-untied'].map((name) => ({
    ...read(`one-sided/${name}`),
    'generation_config.json': bytes(JSON.stringify(sampling)),
  })),
];

/** Numbers below 2^32, on every machine the same for a seed (Mulberry32, public domain). */
function generator(/** @type {number} */ seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

class Chance {
  /** @param {number} seed */
  constructor(seed) {
    this.next = generator(seed);
  }
  below(/** @type {number} */ count) {
    return this.next() % count;
  }
  /** @template T @param {T[]} list @returns {T} */
  of(list) {
    return list[this.below(list.length)];
  }
}

const kNumbers = [
  ...[-1, 0, 1, 2, 3, 4, 7, 8, 9, 63, 64, 65, 85, 86, 255, 256, 1000, 1023, 1024, 1025, 65535, 65536],
  ...[14, 15, 16, 22, 31, 32, 40, 53, 62].flatMap((power) => [2 ** power - 1, 2 ** power, 2 ** power + 1]),
  ...[0.5, 1.5, -0.5, 1e-45, 1e-7, 1e30, -1e30, 1e308, -(2 ** 31), -(2 ** 63)],
];
const kTexts = [
  ...['', ' ', '  ', 'a', '\u2581', '\u0120', '\0', '##', '[MASK]', '<mask>', '</s>', '<unk>', '\ufffd', 'A', 'B'],
  ...['é', 'e\u0301', '漢字', '😀', 'a'.repeat(1024), 'a'.repeat(1025), ' '.repeat(1000), '\u2581'.repeat(300)],
  ...['relu', 'gelu', 'silu', 'lstm', 'gru', 'plain', 'bahdanau', 'luong', 'dot', 'local-p', 'local-m', 'global'],
  ...['Lowercase', 'Strip', 'StripAccents', 'NFD', 'WordPiece', 'BPE', 'Unigram', 'ByteLevel', 'always', 'first'],
  ...['F32', 'F16', 'BF16', 'I8', 'I64', 'bert', 'roberta', 'gpt2', 'marian', 'regression'],
];

const replace = (/** @type {string} */ from, /** @type {string} */ to) => ({
  type: 'Replace',
  pattern: { String: from },
  content: to,
});
/** Steps of a tokenizer.json, by the field that holds them. @type {Record<string, any[]>} */
const kSteps = {
  normalizer: [
    ...[replace('a', 'a'.repeat(1000)), replace(' ', 'a a'), replace('e', ''), replace('\u2581', ' ')],
    ...[{ type: 'Prepend', prepend: '\u2581' }, { type: 'Lowercase' }, { type: 'Strip' }],
    ...[{ type: 'NFD' }, { type: 'StripAccents' }, { type: 'BertNormalizer', lowercase: false }],
  ],
  pre_tokenizer: [
    ...[{ type: 'WhitespaceSplit' }, { type: 'BertPreTokenizer' }, { type: 'ByteLevel', add_prefix_space: true }],
    ...[
      { type: 'Metaspace', replacement: ' '.repeat(1000) },
      { type: 'Metaspace', prepend_scheme: 'first' },
    ],
  ],
  post_processor: [
    { type: 'TemplateProcessing', single: [], pair: [], special_tokens: {} },
    ...[{ type: 'ByteLevel', trim_offsets: true, add_prefix_space: false }, { type: 'BertProcessing' }],
    { type: 'RobertaProcessing', cls: ['a', 1], sep: ['b', 2] },
  ],
  decoder: [{ type: 'WordPiece', prefix: '' }, { type: 'ByteLevel' }, { type: 'Metaspace', replacement: 'a' }],
};
const kLists = {
  normalizer: 'normalizers',
  pre_tokenizer: 'pretokenizers',
  post_processor: 'processors',
  decoder: 'decoders',
};

/** Every place of a JSON value that holds another value: the object or list, and the key. */
function placesOf(/** @type {any} */ value) {
  const places = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const node = waiting.pop();
    // Of a vocabulary's thousands of entries, the first and the last few stand for all.
    const keys = Object.keys(node);
    for (const key of keys.length > 40 ? [...keys.slice(0, 20), ...keys.slice(-20)] : keys) {
      places.push({ node, key });
      if (node[key] !== null && typeof node[key] === 'object') waiting.push(node[key]);
    }
  }
  return places;
}

function otherNumber(/** @type {Chance} */ chance, /** @type {number} */ value) {
  return chance.of([chance.of(kNumbers), chance.of(kNumbers), value + 1, value - 1, value * 2, -value]);
}

/** Another value in place of a value. @returns {any} */
function other(/** @type {Chance} */ chance, /** @type {any} */ value, /** @type {any[]} */ places) {
  const kind = chance.below(8);
  if (kind === 0) {
    const { node, key } = chance.of(places);
    return structuredClone(node[key]);
  }
  if (kind === 1) return chance.of([null, true, false, 0, '', [], {}]);
  if (typeof value === 'number') return otherNumber(chance, value);
  if (typeof value === 'string') return chance.of([...kTexts, `${value}${value}`, value.slice(1)]);
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value) && value.length > 0) {
    const item = chance.of(value);
    const times = chance.of([1, 2, 64, 65, 500]);
    return chance.of([value.slice(1), value.toReversed(), [...value, ...Array(times).fill(item)], [item]]);
  }
  return value;
}

/** Changes a JSON value in place. */
function change(/** @type {Chance} */ chance, /** @type {any} */ root) {
  const places = placesOf(root);
  if (places.length === 0) return;
  const { node, key } = chance.of(places);
  const kind = chance.below(10);
  if (kind === 0) delete node[key];
  else if (kind === 1) node[chance.of(kTexts)] = structuredClone(node[key]);
  else node[key] = other(chance, node[key], places);
}

/** One more step in a place where tokenizer.json has steps. */
function addStep(/** @type {Chance} */ chance, /** @type {any} */ root) {
  const field = /** @type {keyof typeof kLists} */ (chance.of(Object.keys(kLists)));
  const before = root[field]?.type === 'Sequence' ? root[field][kLists[field]] : [root[field]].filter(Boolean);
  const steps = Array.from({ length: 1 + chance.below(4) }, () => structuredClone(chance.of(kSteps[field])));
  if (Array.isArray(before)) root[field] = { type: 'Sequence', [kLists[field]]: [...before, ...steps] };
}

/** An unusual template: any number of special pieces, with valid or invalid places of the texts. */
function addTemplate(/** @type {Chance} */ chance, /** @type {any} */ root) {
  const piece = () => ({ SpecialToken: { id: 's', type_id: chance.below(3) } });
  const place = (/** @type {string} */ id) => ({ Sequence: { id, type_id: chance.below(3) } });
  const items = (/** @type {string[]} */ texts) => {
    const wanted = chance.below(4) > 0 ? texts : Array.from({ length: chance.below(4) }, () => chance.of(['A', 'B']));
    const all = Array.from({ length: chance.of([0, 1, 2, 3, 10, 37, 38, 39, 62, 63, 64]) }, piece);
    for (const id of wanted) all.splice(chance.below(all.length + 1), 0, /** @type {any} */ (place(id)));
    return all;
  };
  const ids = Array.from({ length: chance.of([1, 1, 1, 0, 2, 40]) }, () => chance.below(8));
  const [single, pair] = [items(['A']), items(['A', 'B'])];
  root.post_processor = { type: 'TemplateProcessing', single, pair, special_tokens: { s: { ids } } };
}

/** A JSON text parsed, changed and written again; sometimes a field occurs twice. */
function changeJson(/** @type {Chance} */ chance, /** @type {string} */ text, isTokenizer = false) {
  const root = JSON.parse(text);
  for (let count = 1 + chance.below(3); count > 0; --count) {
    const kind = isTokenizer ? chance.below(6) : 6;
    if (kind === 0) addStep(chance, root);
    else if (kind === 1) addTemplate(chance, root);
    else change(chance, root);
  }
  const changed = JSON.stringify(root);
  const keys = Object.keys(root ?? {});
  if (chance.below(10) > 0 || keys.length === 0) return changed;
  const key = chance.of(keys);
  const again = `${JSON.stringify(key)}:${JSON.stringify(other(chance, root[key], placesOf(root))) ?? 'null'}`;
  return `${changed.slice(0, -1)},${again}}`;
}

const concat = (/** @type {Uint8Array[]} */ ...parts) => new Uint8Array(Buffer.concat(parts));
const text = (/** @type {Uint8Array} */ file) => new TextDecoder().decode(file);

/** Changes the header; the data stays. */
function changeSafetensors(/** @type {Chance} */ chance, /** @type {Uint8Array} */ file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = 8 + Number(view.getBigUint64(0, true));
  const header = bytes(changeJson(chance, text(file.subarray(8, end))));
  const length = new Uint8Array(new BigUint64Array([BigInt(header.length)]).buffer);
  return concat(length, header, file.subarray(end));
}

/** An integer as a pickle writes it, in the shortest form that holds it. */
function pickled(/** @type {bigint} */ value) {
  const eight = new Uint8Array(new BigInt64Array([value]).buffer);
  return value >= 0n && value < 256n ? Uint8Array.of(0x4b, Number(value)) : Uint8Array.of(0x8a, 8, ...eight);
}

/** The places of small numbers and short texts in a PyTorch pickle: [begin, end) with the opcode. */
function partsOf(/** @type {Uint8Array} */ pickle) {
  const parts = [];
  const lengths = { 0x4b: 2, 0x4d: 3, 0x4a: 5, 0x71: 2, 0x72: 5, 0x68: 2, 0x6a: 5, 0x80: 2 };
  for (let at = 0; at < pickle.length;) {
    const opcode = pickle[at];
    let end = at + (lengths[/** @type {keyof typeof lengths} */ (opcode)] ?? 1);
    if (opcode === 0x58) end = at + 5 + pickle[at + 1] + 256 * pickle[at + 2];
    if (opcode === 0x63) end = pickle.indexOf(10, pickle.indexOf(10, at) + 1) + 1;
    if ([0x4b, 0x4d, 0x4a].includes(opcode)) parts.push({ at, end, isNumber: true });
    if (opcode === 0x58) parts.push({ at, end, isNumber: false });
    at = end;
  }
  return parts;
}

const kPickled = [0n, 1n, 2n, 255n, 1n << 20n, 1n << 31n, 1n << 40n, (1n << 40n) + 1n, 1n << 61n, 1n << 62n, -1n];

/** Other sizes, strides, offsets and names in data.pkl; the storages stay. */
function changePickle(/** @type {Chance} */ chance, /** @type {Uint8Array} */ file) {
  const entries = entriesOf(file);
  const name = Object.keys(entries).find((each) => each.endsWith('/data.pkl')) ?? '';
  let pickle = entries[name];
  for (let count = 1 + chance.below(3); count > 0; --count) {
    const parts = partsOf(pickle);
    const { at, end, isNumber } = chance.of(parts);
    const donor = chance.of(parts.filter((part) => !part.isNumber));
    const to = isNumber ? pickled(chance.of(kPickled)) : pickle.subarray(donor.at, donor.end);
    pickle = concat(pickle.subarray(0, at), to, pickle.subarray(end));
  }
  return zip({ ...entries, [name]: pickle });
}

/** The stored entries of a zip. @returns {Folder} */
function entriesOf(/** @type {Uint8Array} */ file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let end = file.length - 22;
  while (view.getUint32(end, true) !== 0x06054b50) --end;
  const entries = /** @type {Folder} */ ({});
  let at = view.getUint32(end + 16, true);
  while (view.getUint32(at, true) === 0x02014b50) {
    const [size, header] = [view.getUint32(at + 24, true), view.getUint32(at + 42, true)];
    const name = text(file.subarray(at + 46, at + 46 + view.getUint16(at + 28, true)));
    const data = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    entries[name] = file.subarray(data, data + size);
    at += 46 + [28, 30, 32].reduce((sum, offset) => sum + view.getUint16(at + offset, true), 0);
  }
  return entries;
}

function varint(/** @type {number} */ value) {
  const list = [];
  for (; value > 127; value >>= 7) list.push((value & 127) | 128);
  return Uint8Array.of(...list, value);
}

/** A .spm whose pieces have other texts, scores and types, are missing, or occur twice. */
function changeSpm(/** @type {Chance} */ chance, /** @type {Uint8Array} */ file) {
  const messages = [];
  for (let at = 0; at < file.length;) {
    let [length, begin] = [0, at + 1];
    for (let shift = 0; ; shift += 7) {
      length |= (file[begin] & 127) << shift;
      if (file[begin++] < 128) break;
    }
    messages.push({ tag: file[at], body: file.subarray(begin, begin + length) });
    at = begin + length;
  }
  const pieces = messages.filter(({ tag }) => tag === 0x0a);
  for (let count = 1 + chance.below(4); count > 0; --count) {
    const piece = chance.of(pieces);
    const score = new Uint8Array(new Float32Array([chance.of([0, -1e30, 3e38, -3e38, 1e-45, 100])]).buffer);
    const content = bytes(chance.of(kTexts));
    const kind = chance.below(5);
    if (kind === 0) piece.body = concat(piece.body, Uint8Array.of(0x15), score);
    if (kind === 1) piece.body = concat(piece.body, Uint8Array.of(0x18, 1 + chance.below(6)));
    if (kind === 2) piece.body = concat(piece.body, Uint8Array.of(0x0a), varint(content.length), content);
    if (kind === 3) messages.splice(messages.indexOf(piece), 1);
    if (kind === 4)
      messages.push({ tag: 0x12, body: Uint8Array.of(0x18, 1 + chance.below(2), 0x98, 2, chance.below(2)) });
  }
  return concat(...messages.flatMap(({ tag, body }) => [Uint8Array.of(tag), varint(body.length), body]));
}

/** @returns {Uint8Array} */
function changeFile(/** @type {Chance} */ chance, /** @type {string} */ name, /** @type {Uint8Array} */ file) {
  if (name.endsWith('.json')) return bytes(changeJson(chance, text(file), name === 'tokenizer.json'));
  if (name.endsWith('.spm')) return changeSpm(chance, file);
  return name.endsWith('.bin') ? changePickle(chance, file) : changeSafetensors(chance, file);
}

/**
 * A folder that only this seed makes, the same on every machine.
 * @param {number} seed a whole number
 * @returns {Folder}
 */
export function mutatedFolder(seed) {
  const chance = new Chance(seed);
  const folder = { ...chance.of(kGood) };
  for (let count = 1 + chance.below(2); count > 0; --count) {
    // These files describe the model. An empty file has nothing to change.
    const names = Object.keys(folder).filter((name) => folder[name].length > 0);
    const name = chance.of([...names, ...names.filter((each) => /^(config|tokenizer)\.json$/.test(each))]);
    folder[name] = changeFile(chance, name, folder[name]);
  }
  return folder;
}

/** A folder in one file, as folder_fuzz reads it. @param {Folder} folder */
export const packed = (folder) =>
  concat(...Object.entries(folder).flatMap(([name, file]) => [bytes(`${name} ${file.length}\n`), file]));
