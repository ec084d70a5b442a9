// Makes a page as slow as on a slow phone: 10 Mbit/s, and a quarter of the processor for its own thread. Workers keep all of it.

/**
 * @param {{send: (method: any, params?: any) => Promise<any>}} session of the DevTools protocol
 * @param {number} latency from a request to its answer, in milliseconds
 */
export async function slowDown(session, latency) {
  await session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  const bytes = 10e6 / 8;
  const conditions = { offline: false, latency, downloadThroughput: bytes, uploadThroughput: bytes };
  await session.send('Network.emulateNetworkConditions', conditions);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}
