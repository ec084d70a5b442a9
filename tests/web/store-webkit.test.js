// The store in WebKit, the engine of Safari.

import { serveStore, testStore } from './store-pages.js';
import { hasWebKit, openWebKit } from './webkit.js';

(hasWebKit ? describe : describe.skip)('WebKit', () => {
  let server, webkit;

  beforeAll(async () => {
    [server, webkit] = await Promise.all([serveStore(), openWebKit()]);
  }, 120_000);

  afterAll(async () => {
    await webkit?.close();
    await server?.close();
  });

  const visiting = async () => {
    const page = await webkit.open(`${server.url}page.html`);
    return page.evaluate;
  };

  testStore(visiting, () => server);
});
