// A small good model and ways to damage it, for every engine that the tests run.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from './support.js';

const kFolder = at('tests/goldens/models/tiny-f16'); // a model with all six files
const kNames = [
  'config.json',
  'generation_config.json',
  'vocab.json',
  'source.spm',
  'target.spm',
  'model.safetensors',
].filter((name) => existsSync(join(kFolder, name)));

const good = Object.fromEntries(kNames.map((name) => [name, new Uint8Array(readFileSync(join(kFolder, name)))]));
const bytes = (text) => new TextEncoder().encode(text);
const text = (name) => new TextDecoder().decode(good[name]);

/** The good model as `Translator.create` takes it, with one file replaced. */
export const modelWith = (name, content) => ({ files: { ...good, ...(name ? { [name]: content } : {}) } });

/** A sentence, and its translation by the good model with a beam of 1. */
export const sentence = JSON.parse(readFileSync(join(kFolder, 'translations.json'), 'utf8')).translations.map(
  ({ source, greedy }) => ({ source, target: greedy.text }),
)[1];

/** Whether a cut file has all its content: a text file may lack its last line end, a .spm file its last, empty message. */
function isStillWhole(name, length) {
  const file = good[name];
  if (name.endsWith('.json')) return length === file.length - 1 && file.at(-1) === 10;
  return name.endsWith('.spm') && length === file.length - 2 && file.at(-2) === 0x2a && file.at(-1) === 0;
}

/** Each file cut at `places` places, the last two bytes included. */
export function truncations(places) {
  return kNames.flatMap((name) => {
    const { length } = good[name];
    const cuts = Array.from({ length: places - 2 }, (_, i) => Math.floor((length * i) / (places - 2)));
    return [...cuts, length - 2, length - 1].map((cut) => ({
      what: `${name} cut to ${cut} of ${length}`,
      name,
      model: modelWith(name, good[name].subarray(0, cut)),
      isWhole: isStillWhole(name, cut),
    }));
  });
}

/** The weights with an edited header. The header's length is updated, or replaced by `claim`. */
function weightsWith(from, to, claim) {
  const file = good['model.safetensors'];
  const end = 8 + Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const before = new TextDecoder().decode(file.subarray(8, end));
  const header = bytes(before.replace(from, to));
  if (from && before === before.replace(from, to)) throw new Error(`the header has no ${from}`);
  const length = new Uint8Array(new BigUint64Array([claim ?? BigInt(header.length)]).buffer);
  return new Uint8Array(Buffer.concat([length, header, file.subarray(end)]));
}

/** The weights with two bytes of their data replaced. */
function weightsWithNumber(offset, number) {
  const file = weightsWith('', '');
  const end = 8 + Number(new DataView(file.buffer).getBigUint64(0, true));
  new DataView(file.buffer).setUint16(end + offset, number, true);
  return file;
}

const nested = (levels) => bytes(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`);
const edited = (name, from, to) => bytes(text(name).replace(from, to));

/** The damages. Each has a title, the file, its bytes, the error's code and a part of its message. */
export function defects() {
  const key = '"model.decoder.layers.0.encoder_attn.k_proj.';
  const weight = (to) => weightsWith(`${key}weight":{"dtype":"F16","shape":[36,36],"data_offsets":[244,2836]}`, to);
  const entry = (dtype, shape, offsets) =>
    `${key}weight":{"dtype":"${dtype}","shape":${shape},"data_offsets":${offsets}}`;
  const bias = `${key}bias":{"dtype":"F16","shape":[36],"data_offsets":[172,244]},`;
  const weights = [
    ['a header of 2^60 bytes', weightsWith('', '', 1n << 60n), 'INVALID_FILE', /claims 1152921504606846976/],
    [
      'a header 10,000 levels deep',
      Buffer.concat([Buffer.from([38, 78, 0, 0, 0, 0, 0, 0]), nested(10000)]),
      'INVALID_FILE',
      /a/,
    ],
    ['a wrong shape', weight(entry('F16', '[18,72]', '[244,2836]')), 'INVALID_FILE', /k_proj\.weight: .*\[18, 72\]/],
    ['a wrong dtype', weight(entry('I64', '[36,36]', '[244,2836]')), 'UNSUPPORTED', /k_proj\.weight: dtype I64/],
    ['a dtype of another size', weight(entry('F32', '[36,36]', '[244,2836]')), 'INVALID_FILE', /need 5184/],
    ['a missing tensor', weightsWith(bias, ''), 'INVALID_FILE', /k_proj\.bias: .*missing/],
    [
      'a doubled tensor',
      weightsWith(bias, bias + bias.replace('[172,244]', '[0,0]')),
      'INVALID_FILE',
      /k_proj\.bias: .*twice/,
    ],
    ['overlapping offsets', weight(entry('F16', '[36,36]', '[242,2834]')), 'INVALID_FILE', /overlap/],
    [
      'offsets outside',
      weight(entry('F16', '[36,36]', '[99999244,100001836]')),
      'INVALID_FILE',
      /k_proj\.weight: .*outside/,
    ],
    ['a NaN', weightsWithNumber(250, 0x7e00), 'INVALID_FILE', /k_proj\.weight: .*not finite/],
    ['an infinity', weightsWithNumber(174, 0xfc00), 'INVALID_FILE', /k_proj\.bias: .*not finite/],
  ].map(([what, content, code, says]) => [what, 'model.safetensors', content, code, says]);
  const pieces = bytes('\x1a\0\x0a\x09\x0a\x05<unk>\x18\x02\x0a\x07\x0a\x05other');
  const texts = [
    ['10,000 levels', 'config.json', nested(10000), 'INVALID_FILE', /config\.json, d_model: is missing/],
    [
      '10,000 levels',
      'generation_config.json',
      edited('generation_config.json', '[[85]]', '['.repeat(10000) + ']'.repeat(10000)),
      'INVALID_FILE',
      /generation_config\.json, bad_words_ids/,
    ],
    ['10,000 levels', 'vocab.json', nested(10000), 'INVALID_FILE', /vocab\.json, a: /],
    ['2 MiB of lists', 'config.json', new Uint8Array(2 << 20).fill(0x5b), 'LIMIT_EXCEEDED', /config\.json: .*1 MiB/],
    [
      'another size',
      'config.json',
      edited('config.json', '"d_model": 36', '"d_model": 40'),
      'INVALID_FILE',
      /safetensors, .*\[86, 40\]/,
    ],
    [
      'a table of positions of 2 GiB',
      'config.json',
      edited(
        'config.json',
        /"d_model": 36|"max_position_embeddings": 64/g,
        (field) => `${field.split(':')[0]}: ${field.startsWith('"d') ? 32768 : 16384}`,
      ),
      'LIMIT_EXCEEDED',
      /config\.json, max_position_embeddings/,
    ],
    ['an empty vocabulary', 'vocab.json', bytes('{}'), 'INVALID_FILE', /vocab\.json: .*<unk>/],
    [
      'one id twice',
      'vocab.json',
      edited('vocab.json', '"<pad>": 85', '"<pad>": 84'),
      'INVALID_FILE',
      /vocab\.json, <pad>: .*already/,
    ],
    ['pieces of another model', 'source.spm', pieces, 'INVALID_FILE', /source\.spm: .*different models/],
    ['pieces of another model', 'target.spm', pieces, 'INVALID_FILE', /target\.spm: .*different models/],
    ['40 MB of nothing', 'source.spm', new Uint8Array(40e6), 'LIMIT_EXCEEDED', /source\.spm, size: .*32 MiB/],
    ['80 MB of nothing', 'vocab.json', new Uint8Array(80e6), 'LIMIT_EXCEEDED', /vocab\.json: .*64 MiB/],
  ];
  return [...weights, ...texts].map(([what, name, content, code, says]) => ({
    what: `${name}: ${what}`,
    model: modelWith(name, content),
    code,
    says,
  }));
}
