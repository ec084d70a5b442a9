// The models for comparison: each loads when it is chosen, translates, and shows its attention.

import { openBrowser, settled, translated } from './chromium.js';

let browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

test('models load when they are chosen; each translates and shows its attention', async () => {
  const asked = [];
  const page = await browser.open('', {}, (opened) =>
    opened.route('**/models/compared/**', (route) => {
      asked.push(new URL(route.request().url()).pathname);
      return route.continue();
    }),
  );
  await settled(page);
  expect(asked).toEqual([]);
  const own = await page.textContent('#target');
  const ids = await page.$$eval('#model optgroup option', (options) => options.map(({ value }) => value));
  expect(ids).toHaveLength(6);
  for (const id of ids) {
    await page.selectOption('#model', id);
    await translated(page);
    expect(asked).toContain(`/models/compared/${id}/model.safetensors`);
    expect(await page.textContent('#target')).not.toBe('');
    const caption = await page.textContent('#caption');
    expect(caption.includes('no attention')).toBe(id === 'plain');
    for (const part of ['qkv-matrix', '.heads', '.axes']) expect(await page.isVisible(part)).toBe(id !== 'plain');
    expect(await page.textContent('#reading')).not.toContain('once there is');
    expect(caption.includes('window')).toBe(id === 'luong-local');
    expect(await page.$$eval('qkv-matrix .span', (all) => all.length > 0)).toBe(id === 'luong-local');
    await page.waitForFunction((wanted) => location.hash.includes(`model=${wanted}`), id);
  }
  await page.selectOption('#model', 'small');
  await translated(page);
  expect(await page.textContent('#target')).toBe(own);
  expect(new URL(page.url()).hash).not.toContain('model');
  expect(page.complaints).toEqual([]);
}, 60_000);

test('a head that nobody chose is each model’s own first one; one that was chosen stays', async () => {
  const head = (page) => page.textContent('#head-name small');
  const fresh = await browser.open('#model=transformer');
  await translated(fresh, 'transformer');
  const page = await browser.open();
  await translated(page);
  for (const id of ['bahdanau', 'transformer']) {
    await page.selectOption('#model', id);
    await translated(page, id);
  }
  expect(await head(page)).toBe(await head(fresh));
  await page.waitForFunction(() => location.hash.includes('model=transformer'));
  expect(page.url()).not.toContain('layer=');
  await page.click('qkv-heads [data-layer="0"][data-head="2"]');
  for (const id of ['bahdanau', 'transformer']) {
    await page.selectOption('#model', id);
    await translated(page, id);
  }
  expect(await head(page)).toBe('layer 1, head 3');
  expect([...page.complaints, ...fresh.complaints]).toEqual([]);
}, 60_000);

test('a link names its model, and Back returns to the one before', async () => {
  const page = await browser.open('#text=Good%20morning.&model=bahdanau');
  await translated(page);
  expect(await page.inputValue('#model')).toBe('bahdanau');
  const theirs = await page.textContent('#message');
  await page.selectOption('#model', 'luong-dot');
  await translated(page);
  expect(await page.inputValue('#source')).toBe('Good morning.');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#model').value === 'bahdanau');
  await translated(page);
  const parameters = (found) => /[\d.]+ M parameters/.exec(found)[0];
  expect(parameters(await page.textContent('#message'))).toBe(parameters(theirs));
  const custom = await browser.open('?model=models/compared/plain/');
  await translated(custom);
  expect(await custom.isVisible('#model')).toBe(false);
  expect([...page.complaints, ...custom.complaints]).toEqual([]);
}, 60_000);
