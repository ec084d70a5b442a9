// Models of OPUS-MT as they were first published, through every entry point; and interventions with Marian's own files. The
// model is that of tests/goldens/marian/self-attention-f32, whose results NumPy computed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Translator, inspect, load } from '../../web/lib/models/index.js';
import { kRows, kWeights, members, opus } from './opus.js';
import { at, create, rejection, serveFolder } from './support.js';
import { editedZip, zip } from './zip.js';

const kGolden = at('tests/goldens/marian/self-attention-f32');
const kText = 'It is raining.';
const bytes = (text) => new TextEncoder().encode(text);
const spm = opus['source.spm'];
const marian = {
  'model.xxyy.bin': new Uint8Array(readFileSync(join(kGolden, 'model.xxyy.bin'))),
  'vocab.xxyy.spm': spm,
};

/** What a translator says of the text: its best hypotheses, and the log-probabilities of a given target. */
async function saidBy(translator) {
  const { hypotheses } = await translator.search(kText, { beam: 2, maxLength: 20, copy: false });
  const { logProbs } = await translator.score(kText, 'No.', { copy: false });
  translator.destroy();
  return { texts: hypotheses.map(({ text, score }) => [text, score]), logProbs };
}

let folder, expected;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-'));
  for (const [name, content] of Object.entries(opus)) writeFileSync(join(folder, name), content);
  const own = await create({ model: { files: marian } });
  const { logProbs } = await own.score(kText, 'No.', { copy: false });
  const first = await create({ model: { files: opus } });
  expected = { ...(await saidBy(first)), logProbs };
  own.destroy();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a model of OPUS-MT', () => {
  const chosen = Object.entries(opus).map(([name, content]) => new File([content], name));
  const given = [
    ['files', () => ({ files: opus })],
    ['chosen files', () => chosen],
    ['a folder', () => folder],
    ['a zip', () => new Blob([zip(opus, { deflate: true })])],
    ['deflated tensors', () => ({ files: { ...opus, [kWeights]: zip(members, { deflate: true }) } })],
    ['without decoder.yml', () => ({ files: { ...opus, 'decoder.yml': undefined } })],
    ['with the vocabulary of one of Firefox', () => ({ files: { 'm.npz': opus[kWeights], 'vocab.xxyy.spm': spm } })],
  ];

  test.each(given)('computes the bits that it computes in Marian’s binary file: %s', async (what, model) => {
    const translator = await create({ model: model() });
    const { decoderLayers, parameters, beam } = translator.info;
    expect(decoderLayers).toBe(2);
    expect(parameters).toBe(5380);
    if (!what.startsWith('with ')) expect(beam).toBe(6);
    const said = await saidBy(translator);
    expect(said.logProbs).toEqual(expected.logProbs);
    if (!what.startsWith('with')) expect(said).toEqual(expected); // decoder.yml says how scores are divided
  });

  test('a folder on a server is recognised by its decoder.yml', async () => {
    const served = await serveFolder(folder);
    expect(await saidBy(await create({ model: served.url }))).toEqual(expected);
    const translator = await load(served.url, { class: 'Translator' });
    expect(await saidBy(translator)).toEqual(expected);
    await served.close();
  });

  test('it is recognised if the answer that there is no config.json comes last', async () => {
    const late = (name, response) => {
      if (name !== 'config.json') return false;
      setTimeout(() => response.writeHead(404).end(), 100);
      return true;
    };
    const served = await serveFolder(folder, late);
    expect(await saidBy(await create({ model: served.url }))).toEqual(expected);
    await served.close();
  });

  test('it gives the same translations as natively', async () => {
    const native = spawnSync(at('build/native/qkv'), ['translate', '--no-copy', '--max-length', '20', '-m', folder], {
      input: `${kText}\nNo.\n`,
      encoding: 'utf8',
    });
    expect(native.status).toBe(0);
    const translator = await create({ model: folder });
    const ours = await translator.translate(`${kText}\nNo.`, { maxLength: 20, copy: false });
    expect(`${ours}\n`).toBe(native.stdout);
    translator.destroy();
  });

  test.each(given.slice(0, 4))('by qkv/models: %s', async (_, model) => {
    const translator = await load(model(), { class: 'Translator' });
    expect(translator).toBeInstanceOf(Translator);
    expect(await saidBy(translator)).toEqual(expected);
    expect(await inspect(model())).toMatchObject({ class: 'Translator', modelType: 'marian', numbers: 'floats' });
  });
});

describe('damaged and unsupported files are refused by name', () => {
  const edited = (from, to) => editedZip(members, from, to);
  const { 'special:model.yml.npy': _, ...withoutOptions } = members;
  const wrong = [
    ['no zip', { [kWeights]: new Uint8Array(100) }, 'INVALID_FILE', /npz/],
    ['a type that is not read', { [kWeights]: edited('<f4', '<f8') }, 'UNSUPPORTED', /npz, .*'<f8'/],
    ['columns first', { [kWeights]: edited('False', 'True ') }, 'UNSUPPORTED', /npz, .*Fortran order/],
    ['a false shape', { [kWeights]: edited(/\((\d)/, '(9$1') }, 'INVALID_FILE', /npz, .*not of its shape/],
    ['no shape', { [kWeights]: edited("'shape'", "'chape'") }, 'INVALID_FILE', /npz, .*shape/],
    ['no .npy', { [kWeights]: zip({ 'a.npy': bytes('what') }) }, 'INVALID_FILE', /npz, a.*not a \.npy/],
    ['a false sum', { [kWeights]: zip(members, { crc: (_, sum) => sum ^ 1 }) }, 'INVALID_FILE', /npz, .*checksum/],
    [
      'a bomb',
      { [kWeights]: zip(members, { deflate: true, size: () => 0xfffffff0 }) },
      'LIMIT_EXCEEDED',
      /npz, .*unpack/,
    ],
    ['an encrypted member', { [kWeights]: zip(members, { flags: 1 }) }, 'UNSUPPORTED', /npz, .*encrypted/],
    ['nothing', { [kWeights]: zip({}) }, 'INVALID_FILE', /npz/],
    ['no options', { [kWeights]: zip(withoutOptions) }, 'INVALID_FILE', /special:model\.yml/],
    [
      'several models',
      { 'decoder.yml': bytes('models:\n  - a.npz\n  - b.npz\n') },
      'UNSUPPORTED',
      /decoder\.yml, models/,
    ],
    ['two .npz', { 'other.npz': opus[kWeights] }, 'INVALID_ARGUMENT', /only one/],
    ['a beam of none', { 'decoder.yml': bytes('beam-size: x\n') }, 'INVALID_FILE', /decoder\.yml, beam-size/],
    ['a vocabulary that is not there', { [kRows]: undefined }, 'MISSING_FILE', /vocab\.yml/],
    ['no source.spm', { 'source.spm': undefined }, 'MISSING_FILE', /spm/],
    ['a line that is no piece', { [kRows]: bytes('</s>: 0\nthe\n') }, 'INVALID_FILE', /vocab\.yml, line 2/],
    ['a row past the table', { [kRows]: bytes('</s>: 0\n<unk>: 1\nthe: 4000\n') }, 'INVALID_FILE', /vocab\.yml, the/],
  ];

  test.each(wrong)('%s', async (_what, files, code, says) => {
    const error = await rejection(create({ model: { files: { ...opus, ...files } } }));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(says)]);
  });

  test('truncated anywhere it is refused, and the next model loads', async () => {
    const holder = await create({ model: { files: opus } }); // so that all load into one engine
    for (const part of [0.01, 0.3, 0.6, 0.9, 0.99, 0.999]) {
      const cut = opus[kWeights].subarray(0, Math.floor(part * opus[kWeights].length));
      const error = await rejection(create({ model: { files: { ...opus, [kWeights]: cut } } }));
      expect(error.code).toBe('INVALID_FILE');
    }
    expect(await saidBy(holder)).toEqual(expected);
  });

  test('a folder of no known kind is an error about config.json', async () => {
    const served = await serveFolder(at('tests/goldens/rnn.json'));
    const error = await rejection(create({ model: served.url }));
    expect(String(error.cause ?? error)).toMatch(/config\.json/);
    expect(served.requests).toContain('decoder.yml');
    await served.close();
  });
});

describe('interventions', () => {
  const filesOf = (name) =>
    Object.fromEntries(
      readdirSync(at(`tests/goldens/marian/${name}`))
        .filter((file) => /^(model|lex|\w*vocab)\./.test(file))
        .map((file) => [file, new Uint8Array(readFileSync(at(`tests/goldens/marian/${name}/${file}`)))]),
    );

  test.each(['ssru-int8', 'ssru-int8-two', 'ssru-f16'])('with one of Firefox’s models: %s', async (name) => {
    const files = filesOf(name);
    const plain = await create({ model: { files } });
    const changeable = await create({ model: { files }, interventions: true });
    expect(changeable.info).toMatchObject({ interventions: true, shortlist: true });
    const choice = { copy: false, maxLength: 20 };
    const { hypotheses } = await plain.search(kText, choice);
    expect((await changeable.search(kText, choice)).hypotheses).toEqual(hypotheses);
    const trace = await plain.trace(kText, choice);
    expect((await changeable.trace(kText, choice)).cross).toEqual(trace.cross);
    // Without its cross-attention the model knows nothing of the text, but what a shortlist says.
    const interventions = [{ kind: 'off', attention: 'cross' }];
    const gates = [{ kind: 'off', attention: 'decoder' }]; // a recurrence, which has none
    expect((await rejection(changeable.search(kText, { ...choice, interventions: gates }))).code).toMatch(/^[IU]N/);
    const blind = { ...choice, interventions, shortlist: false };
    const changed = await changeable.search(kText, blind);
    const other = await changeable.search('No.', blind);
    expect(changed.hypotheses[0].ids[0]).toBe(other.hypotheses[0].ids[0]);
    for (const one of [plain, changeable]) one.destroy();
  });

  test('they work with an OPUS-MT model and with a folder of Firefox', async () => {
    const first = await create({ model: { files: opus }, interventions: true });
    expect(await saidBy(first)).toEqual(expected);
    const second = await create({ model: at('tests/goldens/marian/ssru-int8'), interventions: true });
    expect(second.info.interventions).toBe(true);
    second.destroy();
  });
});
