// Interventions on the page: a head off or uniform, cells hidden; the new translation beside the original, in the address too.

import { Translator } from '../../web/lib/index.js';
import { settled } from './chromium.js';
import { withPages } from './pages.js';

const shared = withPages();
const kText = 'My brother lives in a big white house.';
const texts = (page) => page.$$eval('#changes .pane output', (all) => all.map((one) => one.textContent));
const shown = (page, text) =>
  page.waitForFunction((wanted) => document.querySelectorAll('#changes .pane output')[1].textContent === wanted, text);

test('a head is switched off, cells are hidden by a drag; what changed is marked; undo all, and the address', async () => {
  const library = await Translator.create({
    sourceLanguage: 'en',
    targetLanguage: 'fr',
    interventions: true,
    wasm: 'baseline',
  });
  const by = async (interventions) => (await library.trace(kText, { interventions })).target.text;
  const page = await shared.browser.open('?engine=baseline#layer=2&head=1');
  await settled(page);
  const usual = await page.textContent('#target');
  const place = { attention: 'cross', layer: 1, head: 0 };

  await page.check('#changes-mode [value=off]', { force: true });
  await shown(page, await by([{ kind: 'off', ...place }]));
  expect((await texts(page))[0]).toBe(usual);
  await page.check('#changes-mode [value=look]', { force: true });
  expect(await page.isVisible('#changes-panes')).toBe(false);

  const cells = page.locator('qkv-matrix').first().locator('.cells');
  const { x, y, width } = await cells.boundingBox();
  const side = width / 10;
  await page.mouse.move(x + 2.5 * side, y + 1.5 * side);
  await page.mouse.down();
  await page.mouse.move(x + 3.5 * side, y + 3.5 * side, { steps: 4 });
  await page.mouse.up();
  expect(await page.textContent('#changes-list')).toBe(
    'cross layer 2, head 1 does not see columns 3 to 4 in rows 2 to 4',
  );
  await shown(page, await by([{ kind: 'hide', ...place, queries: [1, 2, 3], keys: [2, 3] }]));

  const all = Array.from({ length: 8 }, (_, head) => `off.cross.2.${head + 1}`).join('*');
  const link = await shared.browser.open(`?engine=baseline#change=${all}`);
  await settled(link);
  const bent = await by(Array.from({ length: 8 }, (_, head) => ({ kind: 'off', attention: 'cross', layer: 1, head })));
  await shown(link, bent);
  expect(bent).not.toBe(usual);
  expect(await link.locator('#changes mark').count()).toBeGreaterThan(0);
  expect(await link.textContent('#target')).toBe(usual);
  await link.click('#changes-undo');
  await link.waitForFunction(() => !location.hash.includes('change='));
  expect(await link.isVisible('#changes-panes')).toBe(false);
  library.destroy();
  expect([...page.complaints, ...link.complaints]).toEqual([]);
}, 90_000);
