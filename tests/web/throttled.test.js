// The costs of a page that do not depend on the load of the machine: the size of its JavaScript, and the shifts of its layout while
// it loads slowly. throttled.mjs prints the times.

import { jest } from '@jest/globals';
import { openBrowser } from './chromium.js';
import { kPages, measured } from './throttled.js';

const kMostScript = 130_000;
const kMostShift = 0.02;

// On a busy machine a load in throttled Chromium has been seen to stop for good, once in some hundred. That is not what is
// measured here, so such a page is opened once more, and the first failure is logged.
jest.retryTimes(1, { logErrorsBeforeRetry: true });

let browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const kNarrow = ['', 'attention.html', 'lab.html', 'lab.html#experiment=heads'];

test.each([...Object.keys(kPages).map((path) => [path, 1280]), ...kNarrow.map((path) => [path, 390])])(
  '/%s, %i pixels wide: less than 130 KB of JavaScript, and nothing jumps',
  async (path, width) => {
    const { script, shift } = await measured(browser, path, { viewport: { width, height: 900 } });
    expect(script).toBeGreaterThan(1000);
    expect(script).toBeLessThan(kMostScript);
    expect(shift).toBeLessThan(kMostShift);
  },
  180_000,
);
