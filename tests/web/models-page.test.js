// The Models page: folders, files and zips as people have them, their contents and results, and files that cannot be
// read.

import { mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Generator, Translator, load } from '../../web/lib/models/index.js';
import { zip } from '../lib/zip.js';
import { at, tinyFolder } from '../lib/support.js';
import { axeFinds, forAxe } from './axe.js';
import { nextFrame } from './chromium.js';
import { barsOf, idle, share, withEnglish } from './english.js';
import { controls, stops } from './tabs.js';

const folder = (name) => at(`tests/goldens/one-sided/${name}`);
const notOfTheModel = /^(goldens|gradients|transformer|translations)\./;
const filesOf = (path) =>
  Object.fromEntries(
    readdirSync(path)
      .filter((file) => !notOfTheModel.test(file))
      .map((file) => [file, new Uint8Array(readFileSync(`${path}/${file}`))]),
  );
const asUpload = (files) =>
  Object.entries(files).map(([name, bytes]) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(bytes),
  }));

const shared = withEnglish();
const open = (path = 'models.html?engine=baseline', options = {}) => shared.browser.open(path, options);

const kFields = { encoder: '#sentence', generator: '#prompt', translator: '#source' };

/** Waits until a model of a kind has read its first text. */
async function ready(page, kind) {
  await page.waitForSelector(`#${kind}:visible`);
  await idle(page, kFields[kind]);
  await page.waitForFunction(() => document.querySelector('qkv-matrix').slice);
  await nextFrame(page);
}
const refusal = async (page) => {
  await page.waitForSelector('#status.failed');
  return page.textContent('#message');
};
const give = (page, files) => page.setInputFiles('#files', asUpload(files));
const facts = (page) =>
  page.$$eval('#facts-list > div', (all) =>
    Object.fromEntries(all.map((one) => [one.querySelector('dt').textContent, one.querySelector('dd').textContent])),
  );

/** The header of a safetensors file, parsed. */
function directory(bytes) {
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const { __metadata__: _, ...tensors } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size)));
  return tensors;
}

test('an encoder’s files: what they hold, its tensors, its guesses, its heads', async () => {
  const page = await open();
  expect(await page.isVisible('#heads-card')).toBe(false);
  const files = filesOf(folder('bert-masked'));
  await give(page, files);
  await ready(page, 'encoder');
  const model = await load({ files });
  expect(await facts(page)).toMatchObject({
    Kind: 'encoder, reads in both directions',
    Family: expect.stringMatching(/^bert/),
    Parameters: model.info.parameters.toLocaleString('en'),
    Vocabulary: `${model.info.vocabularySize} pieces`,
    Layers: `${model.info.layers}, each with ${model.info.heads} heads`,
  });
  const tensors = directory(files['model.safetensors']);
  await page.click('#tensors summary');
  const rows = await page.$$eval('#tensors tbody tr', (all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent)),
  );
  expect(rows.length).toBe(Object.keys(tensors).length);
  for (const [name, shape, dtype, bytes] of rows) {
    const { shape: sizes, dtype: type, data_offsets: offsets } = tensors[name];
    expect([shape, dtype, bytes]).toEqual([
      sizes.join(' × ') || 'one number',
      type,
      (offsets[1] - offsets[0]).toLocaleString('en'),
    ]);
  }
  await page.fill('#sentence', 'The [MASK] sleeps.');
  await ready(page, 'encoder');
  const [{ guesses }] = await model.fillMask('The [MASK] sleeps.', { count: 10 });
  expect((await barsOf(page, '#encoder')).map(([, number]) => number)).toEqual(
    guesses.map(({ probability }) => share(probability)),
  );
  const { encoderSelf } = await model.trace('The [MASK] sleeps.');
  const size = encoderSelf.shape[2] ** 2;
  expect(await page.$eval('qkv-matrix', ({ slice }) => [...slice.weights])).toEqual([
    ...encoderSelf.data.slice(0, size),
  ]);
  await page.hover('#encoder qkv-pieces button >> nth=1');
  expect(await page.evaluate(() => String([...CSS.highlights.get('qkv-pointed')][0]))).toBe('The');
  model.destroy();
  expect(page.complaints).toEqual([]);
});

test.each([
  ['bert-sequence', 'encoder', '#encoder .bars li'],
  ['bert-tokens', 'encoder', '#encoder .tags li'],
  ['bert-answer', 'encoder', '#encoder .bars li'], // in two shards
  ['distilbert-masked', 'encoder', '#encoder .words button'],
  ['roberta-masked', 'encoder', '#encoder .words button'],
  ['gpt2', 'generator', '#generator .bars li'],
  ['gpt2-untied', 'generator', '#generator .bars li'], // pickled
])('%s runs as what it is', async (name, kind, says) => {
  const page = await open();
  await give(page, filesOf(folder(name)));
  await ready(page, kind);
  expect(await page.locator(says).count()).toBeGreaterThan(0);
  expect(await page.isVisible('#tensors')).toBe(name !== 'gpt2-untied');
  expect(await page.isVisible('.question')).toBe(name === 'bert-answer');
  expect(await page.isVisible('.word-part')).toBe(name.endsWith('masked'));
  const model = await load({ files: filesOf(folder(name)) });
  expect(await page.locator('qkv-heads button').count()).toBe(model.info.layers * model.info.heads);
  if (model instanceof Generator) {
    await page.click('.write');
    // The page is ready before the click too, so the text itself is waited for.
    await page.waitForFunction(() => document.querySelector('#prompt').value.length > 'Once upon a time'.length);
    await ready(page, kind);
  }
  model.destroy();
  expect(page.complaints).toEqual([]);
});

test('a zip, and then a translator in its place, with all kinds of heads', async () => {
  const page = await open();
  const nested = Object.fromEntries(
    Object.entries(filesOf(folder('bert-masked'))).map(([name, bytes]) => [`bert/${name}`, bytes]),
  );
  await give(page, { 'bert.zip': zip(nested, { deflate: true }) });
  await ready(page, 'encoder');
  expect(await page.textContent('#facts-name')).toBe('bert.zip');
  expect(await page.isVisible('#kind')).toBe(false);
  await give(page, filesOf(tinyFolder));
  await ready(page, 'translator');
  expect(await page.isVisible('#encoder')).toBe(false);
  expect(await page.isVisible('#kind')).toBe(true);
  const model = await load(tinyFolder);
  expect(model).toBeInstanceOf(Translator);
  await page.fill('#source', 'I see you.');
  await ready(page, 'translator');
  const trace = await model.trace('I see you.');
  expect(await page.textContent('#target')).toBe(trace.target.text);
  for (const kind of ['encoderSelf', 'decoderSelf', 'cross']) {
    await page.check(`#kind [value=${kind}]`, { force: true });
    expect(await page.$eval('qkv-matrix', ({ slice }) => slice.kind)).toBe(kind);
  }
  model.destroy();
  expect(page.complaints).toEqual([]);
});

test('a folder that is dropped, or chosen, as a browser hands it over', async () => {
  const page = await open();
  const cdp = await page.context().newCDPSession(page);
  const zone = await page.locator('.drop').boundingBox();
  const data = { items: [], files: [folder('bert-sequence')], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await cdp.send('Input.dispatchDragEvent', { type, x: zone.x + 20, y: zone.y + 20, data });
  }
  await ready(page, 'encoder');
  expect(await page.textContent('#facts-name')).toBe('bert-sequence');
  expect(await page.locator('#encoder .bars li').count()).toBe(3);
  await page.setInputFiles('#folder', folder('bert-tokens')); // and one that is chosen
  await page.waitForSelector('#encoder .tags li');
  expect(await page.textContent('#facts-name')).toBe('bert-tokens');
  expect(page.complaints).toEqual([]);
});

test('a recurrent model has its facts too, under the name that it was given by', async () => {
  const page = await open();
  await page.setInputFiles('#folder', at('build/site/models/compared/bahdanau'));
  await ready(page, 'translator');
  expect(await page.textContent('#facts-name')).toBe('bahdanau');
  expect(await facts(page)).toMatchObject({
    Kind: 'translator',
    Layers: expect.stringMatching(/^encoder \d, decoder \d$/),
  });
  expect(await page.textContent('#message')).toMatch(/^bahdanau · /);
  await give(page, filesOf(tinyFolder));
  await ready(page, 'translator');
  expect(await page.textContent('#message')).toMatch(/^\d+ files · /);
  expect(await facts(page)).toMatchObject({
    Layers: expect.stringMatching(/^encoder \d+, each with \d+ heads, decoder/),
  });
  expect(page.complaints).toEqual([]);
});

test('of several models in a folder none is taken, and they are named', async () => {
  const page = await open();
  await page.setInputFiles('#folder', at('build/site/models/compared'));
  const names = 'bahdanau, luong-dot, luong-general, luong-local, plain, transformer';
  expect(await refusal(page)).toBe(`There are 6 models in it: ${names}. Give the folder of one.`);
  await page.setInputFiles('#folder', folder('bert-tokens'));
  await page.waitForSelector('#encoder .tags li');
  expect(page.complaints).toEqual([]);
});

test('what cannot be read is reported in a sentence, and the next one is read', async () => {
  const page = await open();
  const good = filesOf(folder('bert-masked'));
  const config = JSON.parse(new TextDecoder().decode(good['config.json']));
  const json = (value) => new TextEncoder().encode(JSON.stringify(value));
  const cut = good['model.safetensors'].slice(0, 4000);
  const cases = [
    [{ ...good, 'config.json': json({ ...config, model_type: 'llama' }) }, /llama/],
    [{ 'config.json': good['config.json'], 'tokenizer.json': good['tokenizer.json'] }, /model\.safetensors/],
    [{ 'model.safetensors': good['model.safetensors'] }, /config\.json/],
    [{ ...good, 'model.safetensors': cut }, /\./],
    [{ ...good, 'tokenizer.json': json({ version: '1.0' }) }, /tokenizer/],
    [{ ...good, 'config.json': new TextEncoder().encode('{') }, /config\.json/],
    [{ 'x.zip': new Uint8Array(100).fill(7) }, /zip/],
    [{ 'x.zip': zip(good, { deflate: true }).slice(0, 9000) }, /zip|directory/],
    [{ 'cat.jpg': new Uint8Array(10) }, /config\.json/],
  ];
  for (const [files, why] of cases) {
    await give(page, files);
    const found = await refusal(page);
    expect(found).toMatch(why);
    expect(found).toMatch(/^\S.*\.$/);
    expect(await page.isVisible('#heads-card')).toBe(false);
    await give(page, good);
    await ready(page, 'encoder');
    expect(await page.getAttribute('#status', 'class')).not.toContain('failed');
  }
  expect(page.complaints).toEqual([]);
}, 120_000);

test('a URL of this site; others, and none, are refused before anything is asked', async () => {
  const page = await open();
  const asked = [];
  page.on('request', (request) => request.url().includes('model') && asked.push(request.url()));
  for (const [typed, why] of [
    ['https://example.com/model/', /loads nothing from other sites/],
    ['', /Type the URL/],
    ['http://[', /is no URL/],
  ]) {
    await page.fill('#url', typed);
    await page.click('#open-url');
    expect(await refusal(page)).toMatch(why);
  }
  expect(asked).toEqual([]);
  await page.fill('#url', 'models/nowhere/');
  await page.press('#url', 'Enter');
  await page.waitForFunction(() => /config\.json/.test(document.querySelector('#message').textContent));
  await page.fill('#url', 'models/en-fr/');
  await page.press('#url', 'Enter');
  await ready(page, 'translator');
  expect(await page.textContent('#target')).not.toBe('');
});

test('our own models, by their buttons; a link restores one with its text, Back the one before', async () => {
  const page = await open();
  await page.click('#ours [value="models/english/questions/"]');
  await ready(page, 'encoder');
  expect(await page.locator('#encoder .bars li').count()).toBeGreaterThan(1);
  await page.click('#ours [value="models/english/everyday/"]');
  await ready(page, 'generator');
  await page.fill('#prompt', 'Tom asked Mary');
  await ready(page, 'generator');
  await page.waitForFunction(() => location.hash.includes('Mary'));
  const linked = await open(`models.html${new URL(page.url()).hash}`);
  await ready(linked, 'generator');
  expect(await linked.inputValue('#prompt')).toBe('Tom asked Mary');
  expect(await linked.getAttribute('#ours [value="models/english/everyday/"]', 'aria-pressed')).toBe('true');
  await page.goBack();
  await ready(page, 'encoder');
  expect(await page.textContent('#facts-name')).toBe('questions');
  expect([...page.complaints, ...linked.complaints]).toEqual([]);
});

test('every pair of the package translates by its button', async () => {
  const page = await open();
  for (const [name, text, translation] of [
    ['en-fr', 'How are you?', /^Comment /],
    ['en-de', 'How are you?', /^Wie /],
    ['en-es', 'How are you?', /^¿Cómo /],
    ['fr-en', 'Quel âge avez-vous ?', /^How old /],
    ['de-en', 'Wie alt sind Sie?', /^How old /],
    ['es-en', '¿Cuántos años tienes?', /^How old /],
  ]) {
    await page.click(`#ours [value="models/${name}/"]`);
    await page.waitForFunction((found) => document.querySelector('#facts-name').textContent === found, name);
    await ready(page, 'translator');
    expect(await page.inputValue('#source')).toBe(text);
    expect(await page.textContent('#target')).toMatch(translation);
  }
  expect(page.complaints).toEqual([]);
});

test('Tab stops at every control', async () => {
  const page = await open();
  await give(page, filesOf(folder('bert-answer')));
  await ready(page, 'encoder');
  const reached = await stops(page);
  expect((await controls(page)).filter((control) => !reached.has(control))).toEqual([]);
});

test.each(['light', 'dark'])(
  'axe finds nothing to mend, and nothing scrolls sideways, %s',
  async (colorScheme) => {
    const width = colorScheme === 'light' ? 375 : 1280;
    const page = await open('models.html', { colorScheme, viewport: { width, height: 900 }, ...forAxe });
    expect(await axeFinds(page)).toEqual([]);
    for (const [name, kind] of [
      ['bert-answer', 'encoder'],
      ['bert-tokens', 'encoder'],
      ['gpt2', 'generator'],
    ]) {
      await give(page, filesOf(folder(name)));
      await ready(page, kind);
      if (name === 'bert-answer') await page.click('#tensors summary');
      expect(await axeFinds(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    await give(page, { 'cat.jpg': new Uint8Array(10) });
    await refusal(page);
    expect(await axeFinds(page)).toEqual([]);
  },
  120_000,
);

test('what would take much memory is asked about first', async () => {
  const large = mkdtempSync(join(tmpdir(), 'qkv-large-'));
  try {
    const files = filesOf(folder('bert-masked'));
    const config = JSON.parse(new TextDecoder().decode(files['config.json']));
    const tensors = directory(files['model.safetensors']);
    // The same model with more columns and more pieces. Only the file's header is read.
    const larger = { [config.hidden_size]: 768, [config.vocab_size]: 1_000_000 };
    let at = 0;
    for (const tensor of Object.values(tensors)) {
      tensor.shape = tensor.shape.map((size) => larger[size] ?? size);
      tensor.data_offsets = [at, (at += 4 * tensor.shape.reduce((product, size) => product * size, 1))];
    }
    const head = Buffer.from(JSON.stringify(tensors));
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(head.length));
    writeFileSync(join(large, 'model.safetensors'), Buffer.concat([size, head]));
    truncateSync(join(large, 'model.safetensors'), 8 + head.length + at);
    writeFileSync(join(large, 'config.json'), JSON.stringify({ ...config, hidden_size: 768, vocab_size: 1_000_000 }));
    writeFileSync(join(large, 'tokenizer.json'), files['tokenizer.json']);
    const page = await open();
    await page.setInputFiles(
      '#files',
      readdirSync(large).map((name) => join(large, name)),
    );
    await page.waitForSelector('#load-it:visible');
    expect(await page.textContent('#message')).toMatch(/would take \d+\.\d MB of memory/);
    expect(await page.isVisible('#heads-card')).toBe(false);
    await give(page, files);
    await ready(page, 'encoder');
    expect(await page.isVisible('#load-it')).toBe(false);
    expect(page.complaints).toEqual([]);
  } finally {
    rmSync(large, { recursive: true });
  }
});
