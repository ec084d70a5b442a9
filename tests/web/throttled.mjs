// Measures how many milliseconds each page needs until it is ready on a slow phone. tests/bench/visit-twice.mjs slows the processor.
// A proxy limits the network to 10 Mbit/s and delays each request by 40 ms. Run it on an idle machine.
//
// usage: throttled.mjs [ROUNDS]
//   Measures each page ROUNDS times and prints the medians. The default is 3.

import { setTimeout as later } from 'node:timers/promises';
import { slowNetwork } from '../bench/slow-network.mjs';
import { summary } from '../bench/timing.mjs';
import { until, visitTwice } from '../bench/visit-twice.mjs';
import { serve } from '../../web/tools/serve.mjs';
import { built } from './chromium.js';
import { kPages } from './throttled.js';

const kSpeed = { latency: 40, bytesPerSecond: 10e6 / 8 };
const kKeeping = 3000; // milliseconds in which a page keeps its files for the next visit

const rounds = Number(process.argv[2] ?? 3);
const server = await serve(built.site, {});
const network = await slowNetwork(Number(new URL(server.url).port), kSpeed);
console.log('page | first visit, ms | second visit, ms');
for (const [path, isReady] of Object.entries(kPages)) {
  const ready = async (page) => {
    const milliseconds = await until(page, `() => (${isReady})() && performance.now()`, 20);
    await later(kKeeping);
    return milliseconds;
  };
  const times = { cold: [], warm: [] };
  for (let round = 0; round < rounds; ++round) {
    const { cold, warm } = await visitTwice(`http://localhost:${network.port}/${path}`, ready);
    times.cold.push(cold);
    times.warm.push(warm);
  }
  console.log([path || '/', ...Object.values(times).map((all) => Math.round(summary(all).median))].join(' | '));
}
await network.close();
await server.close();
