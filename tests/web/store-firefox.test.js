// The store in Firefox.

import { openFirefox } from './firefox.js';
import { serveStore, testStore } from './store-pages.js';

let server, firefox;

beforeAll(async () => {
  [server, firefox] = await Promise.all([serveStore(), openFirefox()]);
}, 120_000);

afterAll(async () => {
  await firefox?.close();
  await server?.close();
});

const visiting = async () => {
  const page = await firefox.open();
  await page.goto(`${server.url}page.html`);
  return (use, value) => page.evaluate(use, value);
};

testStore(visiting, () => server);
