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
