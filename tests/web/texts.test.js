// The two texts of the page Translate: they grow, are cleared and copied. A paste that does not fit is refused with a
// message.

import { axeFinds, forAxe } from './axe.js';
import { withPages } from './pages.js';

const shared = withPages();
const kLong = 'The old man opened the window and looked at the sea. '.repeat(12);

const settled = (page) => page.waitForSelector('#target[aria-busy=false]');
/** Pastes as a person does, without the system's clipboard. */
const paste = (page, text) =>
  page.$eval(
    '#source',
    (field, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      return !field.dispatchEvent(event);
    },
    text,
  );

test.each([1280, 375])('a long text is in view whole, and so is its translation, at %i pixels', async (width) => {
  const page = await shared.browser.open('', { viewport: { width, height: 1600 } });
  await settled(page);
  const heights = () =>
    page.$$eval('#source, #target', (all) => all.map((one) => [one.clientHeight, one.scrollHeight - one.clientHeight]));
  const [[before]] = await heights();
  await page.fill('#source', kLong);
  await settled(page);
  const [[source, hidden], [, below]] = await heights();
  expect(source).toBeGreaterThan(before);
  expect([hidden, below]).toEqual([0, 0]);
  await page.click('#clear');
  expect(await page.inputValue('#source')).toBe('');
  expect(await page.isDisabled('#clear')).toBe(true);
  await page.waitForFunction(() => document.querySelector('#target').textContent === '');
  expect((await heights())[0][0]).toBe(before);
  expect(page.complaints).toEqual([]);
});

test('the translation is copied as it stands', async () => {
  const page = await shared.browser.open('', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.fill('#source', 'I love you.\n\nGood morning.');
  await settled(page);
  await page.click('#copy');
  await page.waitForFunction(() => document.querySelector('#copy').textContent === 'copied');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await shared.translator.translate('I love you.\n\nGood morning.'));
  await page.click('#clear');
  await page.waitForFunction(() => document.querySelector('#copy').disabled);
});

test('a paste that does not fit is refused in a sentence, and one that fits is not', async () => {
  const page = await shared.browser.open('', forAxe);
  await settled(page);
  expect(await paste(page, 'x '.repeat(3200))).toBe(true);
  expect(await page.textContent('#text-note')).toBe('Not pasted: 6,438 characters, and 5,000 fit');
  expect(await page.inputValue('#source')).toBe('My brother lives in a big white house.');
  expect(await axeFinds(page)).toEqual([]);
  expect(await paste(page, 'And so on.')).toBe(false);
  expect(await page.textContent('#text-note')).toBe('');
  await page.fill('#source', 'Go. '.repeat(1200));
  expect(await page.textContent('#text-note')).toBe('4,800 of 5,000');
});

test('a text enters the address only when it is shared; Back and reloading know it all the same', async () => {
  const page = await shared.browser.open('', { permissions: ['clipboard-read', 'clipboard-write'] });
  await settled(page);
  const secret = 'I love you.';
  await page.fill('#source', secret);
  await settled(page);
  await page.check('#view [value=lines]', { force: true });
  await page.waitForFunction(() => location.hash.includes('view=lines'));
  expect(page.url()).not.toMatch(/love|text=/);
  await page.reload();
  await settled(page);
  expect(await page.inputValue('#source')).toBe(secret);

  await page.click('#share');
  await page.waitForFunction(() => location.hash.includes('love'));
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  const copy = await shared.browser.open(new URL(page.url()).hash);
  await settled(copy);
  expect(await copy.inputValue('#source')).toBe(secret);
  await copy.check('#view [value=matrix]', { force: true });
  await copy.waitForFunction(() => !location.hash.includes('view='));
  expect(copy.url()).toContain('love'); // the link that was opened had the text

  await page.fill('#source', `${secret} And you?`);
  await page.waitForFunction(() => !location.hash.includes('love'));
  await page.click('#examples button >> nth=1');
  await settled(page);
  expect(page.url()).not.toContain('text=');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#source').value.endsWith('And you?'));
  expect([...page.complaints, ...copy.complaints]).toEqual([]);
}, 60_000);

test('recent translations are kept if the reader asks, and forgotten on demand', async () => {
  const page = await shared.browser.open('', forAxe);
  await settled(page);
  const kept = () => page.evaluate(() => localStorage.getItem('qkv-recent'));
  await page.fill('#source', 'Good morning.');
  await settled(page);
  await page.waitForTimeout(1800);
  expect(await kept()).toBe(null);
  await page.click('#recent summary');
  await page.check('#recent-keep');
  await page.fill('#source', 'Good evening');
  await settled(page);
  await page.waitForFunction(() => localStorage.getItem('qkv-recent')?.includes('Good evening'));
  await page.fill('#source', 'Good evening, my friend.');
  await settled(page);
  await page.waitForFunction(() => localStorage.getItem('qkv-recent').includes('friend'));
  expect(JSON.parse(await kept())).toHaveLength(1); // the versions of a text replace each other
  await page.click('#examples button >> nth=1');
  await page.waitForFunction(() => JSON.parse(localStorage.getItem('qkv-recent')).length === 2);
  expect((await axeFinds(page)).filter((found) => found.includes('recent'))).toEqual([]);

  await page.reload();
  await settled(page);
  await page.click('#recent summary');
  await page.click('#recent-list button:has-text("friend")');
  await settled(page);
  expect(await page.inputValue('#source')).toBe('Good evening, my friend.');
  await page.click('#recent summary');
  await page.click('#recent-forget');
  expect(JSON.parse(await kept())).toEqual([]);
  await page.uncheck('#recent-keep');
  expect(await kept()).toBe(null);
  expect(page.complaints).toEqual([]);
}, 60_000);

test('a sentence that the model is unsure of says so in words, which are not copied with it', async () => {
  const page = await shared.browser.open('', { permissions: ['clipboard-read', 'clipboard-write'] });
  await settled(page);
  await page.fill('#source', 'I love you. Colorless green ideas sleep furiously.');
  await page.waitForFunction(() => document.querySelectorAll('#target [data-sentence]').length === 2);
  await settled(page);
  const said = await page.$$eval('#target [data-sentence]', (all) =>
    all.map((one) => getComputedStyle(one, '::after').content),
  );
  expect(said[0]).toBe('none');
  expect(said[1]).toContain('the model is in doubt');
  await page.click('#copy');
  expect(await page.evaluate(() => navigator.clipboard.readText())).not.toContain('doubt');
  expect(page.complaints).toEqual([]);
});

test('panes scroll together, and both have the current sentence in view', async () => {
  const page = await shared.browser.open('', { viewport: { width: 1000, height: 420 } });
  await settled(page);
  const sentences = Array.from({ length: 24 }, (_, i) => `Tom bought ${i + 2} books and a very old lamp.`);
  await page.fill('#source', sentences.join('\n'));
  await settled(page);
  const isSeen = (index) =>
    page.evaluate((at) => {
      const [pane, field] = ['#target', '#source'].map((id) => document.querySelector(id).getBoundingClientRect());
      const box = document.querySelector(`[data-sentence="${at}"]`).getBoundingClientRect();
      const node = document.querySelector('#mirror').firstChild;
      const line = document.createRange();
      const begin = node.data.split('\n').slice(0, at).join('\n').length + (at > 0 ? 1 : 0);
      line.setStart(node, begin);
      line.setEnd(node, begin + 5);
      const from = line.getBoundingClientRect();
      const within = (one, around) => one.bottom > around.top + 8 && one.top < around.bottom - 8;
      return [within(from, field), within(box, pane)];
    }, index);
  const put = async (index) => {
    await page.$eval(
      '#source',
      (field, at) => {
        const end = field.value
          .split('\n')
          .slice(0, at + 1)
          .join('\n').length;
        field.focus();
        field.setSelectionRange(end, end);
      },
      index,
    );
    await page.waitForFunction(
      (n) => document.querySelector('.which').textContent.startsWith(`sentence ${n} `),
      index + 1,
    );
    await settled(page);
  };
  // The caret is at the end: translations that came before the last one have not moved it out of its pane.
  expect(await isSeen(23)).toEqual([true, true]);
  for (const index of [20, 2, 12]) {
    await put(index);
    expect(await isSeen(index)).toEqual([true, true]);
  }
  await page.$eval('#target', (pane) => (pane.scrollTop = pane.scrollHeight));
  await page.waitForFunction(() => {
    const { scrollTop, scrollHeight, clientHeight } = document.querySelector('#source');
    return scrollHeight - clientHeight - scrollTop < 3;
  });
  expect(page.complaints).toEqual([]);
}, 60_000);

test('with the system’s own colours, what is chosen and what bars show is still seen', async () => {
  const page = await shared.browser.open('', { forcedColors: 'active' });
  await settled(page);
  const colours = await page.$$eval('#view span', (all) => all.map((one) => getComputedStyle(one).backgroundColor));
  expect(colours[0]).not.toBe(colours[1]);
  const bar = await page.$eval('#reading .bar', (one) => getComputedStyle(one).backgroundImage);
  expect(bar).toMatch(/gradient/);
  const cell = await page.$$eval(
    'qkv-matrix .base rect',
    (all) => new Set(all.map((one) => getComputedStyle(one).fill)).size,
  );
  expect(cell).toBeGreaterThan(3);
});

test('where the reader asks for more contrast, captions have the colour of the text, and edges are drawn in it', async () => {
  const coloursWith = async (contrast) => {
    const page = await shared.browser.open('', { contrast });
    const found = await page.evaluate(() => {
      const colour = (query, of) => getComputedStyle(document.querySelector(query))[of];
      return [colour('body', 'color'), colour('.label', 'color'), colour('.card', 'borderTopColor')];
    });
    await page.context().close();
    return found;
  };
  const [ink, ...usual] = await coloursWith('no-preference');
  expect(usual).not.toContain(ink);
  expect(await coloursWith('more')).toEqual([ink, ink, ink]);
});
