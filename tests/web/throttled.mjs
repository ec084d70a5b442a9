// Prints how fast each page is ready on a slow phone (tests/web/throttled.js). Run it on an idle machine.
//
// usage: throttled.mjs

import { openBrowser } from './chromium.js';
import { kPages, measured } from './throttled.js';

const browser = await openBrowser();
console.log('page | ready, cold, ms | warm, ms | layout shift | JavaScript, gzipped bytes');
for (const path of Object.keys(kPages)) {
  const { cold, warm, shift, script } = await measured(browser, path);
  console.log([path || '/', cold, warm, shift.toFixed(4), script].join(' | '));
}
await browser.close();
