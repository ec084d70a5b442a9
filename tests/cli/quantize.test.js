// qkv quantize: a float folder in, the same model in int8 out.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const floats = join(root, 'tests/goldens/en-fr');
const shipped = join(root, 'web/models/en-fr');
const kWeights = 'model.safetensors';
const kRead = ['config.json', 'generation_config.json', 'vocab.json', 'source.spm', 'tokenizer_config.json'];

const qkv = (args, input = '') => spawnSync(join(root, 'build/native/qkv'), args, { input, encoding: 'utf8' });
const quantize = (from, to, ...options) => qkv(['quantize', from, to, ...options]);
const same = (a, b) => readFileSync(a).equals(readFileSync(b));
/** The tensors in a file's header. */
const header = (folder) => {
  const bytes = readFileSync(join(folder, kWeights));
  return JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE())).toString());
};

/** The numbers of a tensor of a folder: [type, shape, numbers]. Tensors of 4 bits are bytes. */
const tensor = (folder, name) => {
  const bytes = readFileSync(join(folder, kWeights));
  const { dtype, shape, data_offsets: range } = header(folder)[name];
  const data = bytes.subarray(8 + Number(bytes.readBigUInt64LE())).subarray(...range);
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const read = {
    F16: [2, (i) => float16(view.getUint16(2 * i, true))],
    F32: [4, (i) => view.getFloat32(4 * i, true)],
    I8: [1, (i) => view.getInt8(i)],
    U8: [1, (i) => view.getUint8(i)],
  }[dtype];
  return [dtype, shape, Array.from({ length: data.length / read[0] }, (_, i) => read[1](i))];
};

/** The number that 16 bits stand for (IEEE 754, binary16); infinities do not occur here. */
const float16 = (bits) => {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return bits >> 15 ? -size : size;
};

/** The nearest whole number; of halves the even one. */
const nearest = (x) => {
  const low = Math.floor(x);
  const up = x - low > 0.5 || (x - low === 0.5 && low % 2 !== 0);
  return up ? low + 1 : low;
};

/** The bytes of each tensor, as a digest. */
const tensorsOf = (folder) => {
  const bytes = readFileSync(join(folder, kWeights));
  const begin = 8 + Number(bytes.readBigUInt64LE());
  const tensors = Object.entries(JSON.parse(bytes.subarray(8, begin).toString()));
  const digest = ([from, to]) =>
    createHash('sha256')
      .update(bytes.subarray(begin + from, begin + to))
      .digest('hex');
  return tensors.map(([name, { dtype, data_offsets: range }]) => [name, dtype, range && digest(range)]);
};

let folder;
let made;
let first;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  made = join(folder, 'a', 'int8');
  first = quantize(floats, made);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('writes half the bytes, copies the other files, and reports the sizes', () => {
  expect([first.status, first.stderr]).toEqual([0, '']);
  expect(first.stdout).toMatch(/en-fr\/model\.safetensors: 14\.7 MB, .*int8\/model\.safetensors: 7\.5 MB\n$/);
  for (const name of kRead) expect(same(join(made, name), join(floats, name))).toBe(true);
  expect(readdirSync(made).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('gives every matrix whole numbers and a scale for each output, and leaves vectors as they are', () => {
  const was = header(floats);
  const is = header(made);
  for (const [name, { shape }] of Object.entries(was)) {
    if (name === '__metadata__') continue;
    const isMatrix = shape.length === 2 && shape[0] > 1;
    expect([name, is[name].dtype]).toEqual([name, isMatrix ? 'I8' : 'F32']);
    expect(is[`${name}_scale`]).toEqual(
      isMatrix ? expect.objectContaining({ dtype: 'F32', shape: [shape[0]] }) : undefined,
    );
  }
});

test('weights are the nearest whole numbers of scales that are the largest weight of an output / 127', () => {
  const name = 'model.encoder.layers.0.fc1.weight';
  const [, [outputs, inputs], weights] = tensor(floats, name);
  const [, , scales] = tensor(made, `${name}_scale`);
  const [, , quantized] = tensor(made, name);
  for (let o = 0; o < outputs; ++o) {
    const row = weights.slice(o * inputs, (o + 1) * inputs);
    const scale = Math.fround(Math.max(...row.map(Math.abs)) / 127);
    expect(scales[o]).toBe(scale);
    expect(quantized.slice(o * inputs, (o + 1) * inputs)).toEqual(
      row.map((w) => nearest(Math.fround(w / scale)) + 0), // + 0: not -0
    );
  }
});

test('a quantized model can be inspected and translates', () => {
  const memory = (model) => Number(/^memory +([\d.]+) MB/m.exec(qkv(['inspect', '-m', model]).stdout)[1]);
  expect(memory(made)).toBeLessThan(memory(floats) / 3);
  expect(qkv(['inspect', '-m', made]).stdout).toMatch(/^parameters +7321920$/m);
  const { status, stdout } = qkv(['translate', '-m', made], 'I love you.\nHe is a teacher.\n');
  expect([status, stdout]).toEqual([0, "Je t'aime.\nC'est un professeur.\n"]);
});

test('quantizing an int8 model writes the same int8 weights', () => {
  const again = join(folder, 'again');
  expect(quantize(made, again).status).toBe(0);
  expect(same(join(made, kWeights), join(again, kWeights))).toBe(true);
});

describe('in 4 bits:', () => {
  let int4;
  beforeAll(() => {
    int4 = join(folder, 'int4');
    expect(quantize(floats, int4, '--bits', '4').status).toBe(0);
  });
  const edited = (name, change) => {
    const to = join(folder, name);
    cpSync(int4, to, { recursive: true });
    const bytes = readFileSync(join(to, kWeights));
    const begin = 8 + Number(bytes.readBigUInt64LE());
    const text = Buffer.from(change(bytes.subarray(8, begin).toString()));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    writeFileSync(join(to, kWeights), Buffer.concat([length, text, bytes.subarray(begin)]));
    return qkv(['translate', '-m', to], 'I love you.\n');
  };

  test('takes a little more than half the bytes of int8: 17 bytes for 32 inputs', () => {
    const bytes = (model) => statSync(join(model, kWeights)).size;
    expect(bytes(int4) / bytes(made)).toBeLessThan(0.56);
    const was = header(made);
    const is = header(int4);
    expect(Object.keys(is).toSorted()).toEqual(Object.keys(was).toSorted());
    for (const [name, { dtype, shape }] of Object.entries(was)) {
      if (dtype === 'I8') expect(is[name]).toMatchObject({ dtype: 'U8', shape: [shape[0], (shape[1] / 32) * 17] });
    }
  });

  test('takes the memory of int8 and translates', () => {
    const facts = (model) => qkv(['inspect', '-m', model]).stdout.replaceAll(/^(folder|files?|model) .*$/gm, '');
    expect(/^memory .*$/m.exec(facts(int4))).toEqual(/^memory .*$/m.exec(facts(made)));
    expect(facts(int4)).toMatch(/^parameters +7321920$/m);
    const { status, stdout } = qkv(['translate', '-m', int4], 'I love you.\n');
    expect([status, stdout]).toEqual([0, "Je t'aime.\n"]);
  });

  test('writing it in 8 bits and again in 4 bits does not change it', () => {
    const wide = join(folder, 'wide');
    const again = join(folder, 'int4-again');
    expect(quantize(int4, wide).status).toBe(0);
    expect(quantize(wide, again, '--bits', '4').status).toBe(0);
    const translate = (model) => qkv(['translate', '-m', model, '--json'], 'Where is the station?\n').stdout;
    expect(translate(wide)).toBe(translate(int4));
    expect(translate(again)).toBe(translate(int4));
  });

  test('the shipped model is in 4 bits, and translates the same from the 8 bits that they become', () => {
    const wide = join(folder, 'shipped-wide');
    expect(header(shipped)['model.shared.weight'].dtype).toBe('U8');
    expect(quantize(shipped, wide).status).toBe(0);
    expect(header(wide)['model.shared.weight'].dtype).toBe('I8');
    const translate = (model) => qkv(['translate', '-m', model, '--json'], 'Where is the station?\n').stdout;
    expect(translate(wide)).toBe(translate(shipped));
  });

  test('a wrong shape, missing scales and a matrix that cannot be in 4 bits are named', () => {
    const shape = edited('shape', (text) => text.replace('"shape":[8000,136]', '"shape":[4000,272]'));
    expect([shape.status, shape.stderr]).toEqual([1, expect.stringMatching(/shape is \[4000, 272\].*\[8000, 136\]/)]);
    const scales = edited('scales', (text) => text.replace('model.shared.weight_scale', 'model.shared.weight_scald'));
    expect([scales.status, scales.stderr]).toEqual([1, expect.stringContaining('model.shared.weight_scal')]);
    const vector = edited('vector', (text) => text.replace(/("final_logits_bias":\{"dtype":")F32/, '$1U8'));
    expect([vector.status, vector.stderr]).toEqual([1, expect.stringMatching(/final_logits_bias.*U8 is not one of/)]);
  });

  test('by GPTQ: the same header, other weights, and references that the model finds likelier', () => {
    const lines = readFileSync(join(root, 'web/models/en-fr/training/phrases.tsv'), 'utf8').trimEnd().split('\n');
    const file = (name, some) => {
      writeFileSync(join(folder, name), `${some.join('\n')}\n`);
      return join(folder, name);
    };
    const texts = file(
      'texts.tsv',
      lines.filter((_, i) => i % 5 === 0),
    );
    const calibrated = join(folder, 'gptq');
    const { status, stderr } = quantize(floats, calibrated, '--bits', '4', '--calibrate', texts);
    expect([status, stderr]).toEqual([0, '']);
    expect(header(calibrated)).toEqual(header(int4));
    expect(same(join(calibrated, kWeights), join(int4, kWeights))).toBe(false);
    // The other pairs were not seen.
    const data = file(
      'pairs.tsv',
      lines.filter((_, i) => i % 5 !== 0),
    );
    const measured = (model) => JSON.parse(qkv(['evaluate', model, '--data', data, '--json', '--samples', '0']).stdout);
    const perplexity = (model) => measured(model).systems[0].perplexity.piece;
    expect(perplexity(calibrated)).toBeLessThan(perplexity(int4));
  });

  test('matrices that are named stay in 8 bits, with the weights of int8', () => {
    const mixed = join(folder, 'mixed');
    expect(quantize(floats, mixed, '--bits', '4', '--keep-int8', 'layers.0.fc1', '--keep-int8', 'shared').status).toBe(
      0,
    );
    const is = new Map(tensorsOf(mixed).map(([name, ...rest]) => [name, rest]));
    const [in8, in4] = [made, int4].map((one) => new Map(tensorsOf(one).map(([name, ...rest]) => [name, rest])));
    for (const [name, rest] of is) {
      const kept = /layers\.0\.fc1\.weight|shared/.test(name);
      expect([name, ...rest]).toEqual([name, ...(kept ? in8 : in4).get(name)]);
    }
  });

  test('options that do not fit are refused by name', () => {
    const texts = join(folder, 'one.txt');
    writeFileSync(texts, 'I love you.\n');
    const refused = (options, says, from = floats) => {
      const { status, stderr } = quantize(from, join(folder, 'refused'), ...options);
      expect([status, stderr]).toEqual([expect.any(Number), expect.stringMatching(says)]);
      expect(status).not.toBe(0);
    };
    refused(['--calibrate', texts], /--calibrate is for --bits 4/);
    refused(['--keep-int8', 'fc1'], /--keep-int8 is for --bits 4/);
    refused(['--bits', '4', '--keep-int8', 'no-such'], /--keep-int8 no-such: no matrix/);
    refused(['--bits', '4', '--calibrate', join(folder, 'absent')], /--calibrate/);
    refused(['--bits', '4', '--calibrate', texts], /int8: calibration needs the float weights/, made);
    refused(
      ['--bits', '4', '--calibrate', texts],
      /--calibrate is for models that translate/,
      'tests/goldens/one-sided/bert-sequence',
    );
    writeFileSync(texts, '');
    refused(['--bits', '4', '--calibrate', texts], /there is no text in it/);
  });

  test('other numbers of bits are refused', () => {
    expect(quantize(floats, join(folder, 'bits'), '--bits', '5').stderr).toMatch(/--bits/);
  });
});

test('an encoder gives nearly the same results in int8; a decoder keeps its floats', () => {
  const floats = 'tests/goldens/one-sided/bert-sequence';
  const small = join(folder, 'encoder');
  expect(quantize(floats, small).status).toBe(0);
  expect(header(small)['bert.encoder.layer.0.attention.self.query.weight'].dtype).toBe('I8');
  const labels = (model) => JSON.parse(qkv(['encode', '-m', model], 'the cat sat\n').stdout).labels;
  const [were, are] = [labels(floats), labels(small)];
  expect(Object.keys(were)).toEqual(['calm', 'glad', 'cross']);
  for (const [label, share] of Object.entries(were)) expect(Math.abs(are[label] - share)).toBeLessThan(0.05);
  const { status, stderr } = quantize('tests/goldens/one-sided/gpt2', join(folder, 'decoder'));
  expect([status, stderr]).toEqual([1, expect.stringContaining('stored as floats')]);
});

test('replaces the earlier content of the folder', () => {
  const old = join(folder, 'old');
  mkdirSync(old);
  writeFileSync(join(old, kWeights), 'not weights');
  writeFileSync(join(old, 'config.json'), '{}');
  expect(quantize(floats, old).status).toBe(0);
  expect(same(join(old, kWeights), join(made, kWeights))).toBe(true);
  expect(same(join(old, 'config.json'), join(floats, 'config.json'))).toBe(true);
});

describe('refuses, on one line, and leaves what is there as it is:', () => {
  const expectRefused = ({ status, stdout, stderr }, says) => {
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^qkv: [^\n]+\n$/);
    expect(stderr).toMatch(says);
  };

  test('the same folder under any name', () => {
    const own = join(folder, 'own');
    cpSync(floats, own, { recursive: true });
    for (const name of [own, `${own}/`, join(own, '..', 'own', '.')]) {
      expectRefused(quantize(own, name), /a folder of its own/);
    }
    expect(same(join(own, kWeights), join(floats, kWeights))).toBe(true);
  });

  test('a folder that cannot be made, or is a file', () => {
    expectRefused(quantize(floats, '/proc/no/such'), /\/proc\/no\/such/);
    const file = join(folder, 'file');
    writeFileSync(file, 'text');
    expectRefused(quantize(floats, file), /file/);
    expect(readFileSync(file, 'utf8')).toBe('text');
  });

  test('weights that cannot be written', () => {
    const taken = join(folder, 'taken');
    mkdirSync(join(taken, `${kWeights}.part`), { recursive: true }); // root may write anywhere, but not over a folder
    expectRefused(quantize(floats, taken), /model\.safetensors: cannot be written/);
    expect(() => statSync(join(taken, kWeights))).toThrow(/ENOENT/);
  });

  test('a folder that is no model', () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    expectRefused(quantize(empty, join(folder, 'nothing')), /MISSING_FILE: .*config\.json/);
    expect(() => statSync(join(folder, 'nothing'))).toThrow(/ENOENT/);
  });
});

test('a command line without two folders is not understood', () => {
  expect(qkv(['quantize', floats]).status).toBe(2);
  expect(qkv(['quantize', join(folder, 'nowhere'), made]).status).toBe(2);
});
