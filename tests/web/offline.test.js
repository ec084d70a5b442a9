// The pages without a network. After the first visit they open and translate, and say that they are offline. A new
// version replaces the previous one. They can be installed.

import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { serve } from '../../web/tools/serve.mjs';
import { writeServiceWorker } from '../../web/tools/service-worker.mjs';
import { built, launchOptions, settled, translate } from './chromium.js';

let folder, server, browser, context;
const kPatience = 120_000;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'qkv-site-'));
  const isNeeded = (path) => !/\/docs$|\/models\/(compared|english|en-de|en-es|fr-en|de-en|es-en)$/.test(path);
  cpSync(built.site, folder, { recursive: true, filter: isNeeded });
  browser = await chromium.launch(launchOptions);
}, kPatience);

beforeEach(async () => {
  server = await serve(folder);
  context = await browser.newContext({ viewport: { width: 390, height: 844 } });
});

afterEach(async () => {
  await context.close();
  await server.close();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(path = '') {
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(server.url + path);
  return Object.assign(page, { complaints });
}

const saysOffline = (page) =>
  page.waitForFunction(() => document.querySelector('#message').textContent.endsWith(' · works offline'));

test(
  'after the first visit the page says that it works offline, and does',
  async () => {
    const first = await open();
    await settled(first);
    await saysOffline(first);
    expect(first.complaints).toEqual([]);
    await first.close();
    await server.close();
    const again = await open('?engine=baseline');
    expect(await translate(again, 'I love you.')).toBe("Je t'aime.");
    await saysOffline(again);
    expect(again.complaints).toEqual([]);
    for (const page of ['attention.html', 'index.html']) expect((await open(page)).complaints).toEqual([]);
    await expect(open('docs/index.html')).rejects.toThrow('ERR_CONNECTION_REFUSED'); // not stored
  },
  kPatience,
);

test(
  'a new version takes the place of the one before, and removes what that kept',
  async () => {
    const first = await open();
    await saysOffline(first);
    const names = () => context.pages()[0].evaluate(() => caches.keys());
    const [old] = (await names()).filter((name) => name.startsWith('qkv-pages'));
    await first.evaluate(() => caches.open('another'));
    const icon = join(folder, 'icon.svg');
    writeFileSync(icon, readFileSync(icon, 'utf8').replace('#fff', '#ffe'));
    await writeServiceWorker(folder, { isKeeping: true, minify: true });
    await first.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      await registration.update();
      const { installing } = registration;
      await new Promise((done) => (installing.onstatechange = () => installing.state === 'installed' && done()));
    });
    expect(await names()).toContain(old); // the open page has its files
    await first.goto('about:blank'); // the old worker has no page any more
    await first.goto(server.url);
    await first.waitForFunction(async (name) => !(await caches.keys()).includes(name), old);
    const kept = await names();
    expect(kept.filter((name) => name.startsWith('qkv-pages'))).toHaveLength(1);
    expect(kept).toEqual(expect.arrayContaining(['another', 'qkv-models']));
  },
  kPatience,
);

test(
  'pages that are rebuilt as files change keep nothing',
  async () => {
    const first = await open();
    await saysOffline(first);
    await writeServiceWorker(folder, { isKeeping: false, minify: false });
    await first.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    await first.waitForFunction(async () => {
      const isRegistered = await navigator.serviceWorker.getRegistration();
      return !isRegistered && !(await caches.keys()).some((name) => name.startsWith('qkv-pages'));
    });
    await writeServiceWorker(folder, { isKeeping: true, minify: true });
  },
  kPatience,
);

test(
  'the pages can be installed',
  async () => {
    const page = await open();
    const session = await context.newCDPSession(page);
    const { errors, url } = await session.send('Page.getAppManifest');
    expect([url, errors]).toEqual([`${server.url}app.webmanifest`, []]);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
  },
  kPatience,
);

test('each file that is kept is there', () => {
  const kept = /\[("[^\]]*")\]/.exec(readFileSync(join(built.site, 'sw.js'), 'utf8'))[1];
  const names = JSON.parse(`[${kept}]`);
  expect(names).toEqual(expect.arrayContaining(['', 'translate.js', 'assets/worker.js', 'app.webmanifest']));
  const files = readdirSync(built.site, { recursive: true });
  for (const name of names) expect(files).toContain(name || 'index.html');
});
