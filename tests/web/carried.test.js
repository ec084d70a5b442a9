// What the page shows of carried texts, and its warnings for readers.
import { translate } from './chromium.js';
import { withPages } from './pages.js';

const pages = withPages();
const kAddress = 'https://www.example.org/a?b=c';

test('pieces show what stands in the text, and the stand-in when one looks', async () => {
  const page = await pages.browser.open('?engine=baseline');
  await translate(page, `It costs $1,234.56 at ${kAddress}, says 😀 @tom_1.`);
  const trace = await pages.translator.trace(`It costs $1,234.56 at ${kAddress}, says 😀 @tom_1.`);
  for (const side of ['source', 'target']) {
    const chips = await page.$$eval(`qkv-pieces[side=${side}] button`, (buttons) =>
      buttons.map(({ title, firstElementChild }) => ({ title, text: firstElementChild.textContent })),
    );
    expect(chips).toHaveLength(trace[side].pieces.length);
    for (const token of ['$1,234.56', kAddress, '@tom_1']) {
      const found = chips.filter(({ text }) => text.includes(token));
      expect(found).toHaveLength(1);
    }
    const address = chips.find(({ text }) => text === kAddress);
    expect(address.title).toMatch(
      side === 'source' ? /^the model read “.+” here$/ : /^the model wrote “.+” here; prob/,
    );
  }
  expect(await page.textContent('#message')).toContain('some of it was carried over as it is');
  await page.click(`qkv-pieces[side=target] button:has-text("${kAddress}")`);
  expect(await page.textContent('#reading .subject')).toMatch(/“.+” to the model/);
});
