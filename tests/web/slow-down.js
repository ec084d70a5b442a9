// Makes a page as slow as on a slow phone: a quarter of the processor, in its workers too, and 10 Mbit/s.

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
