// Times what an engine does after the last bytes of a model, in Node and in pages. The server is that of arrivals.mjs.

/** How long an engine may take for what came before the last bytes, ms. */
const kPause = 500;

/**
 * Times what an engine does after the last bytes of a model.
 * @param {string} server the url of serveArrivals()
 * @param {string} model
 * @param {string} decoder
 * @param {(url: string) => Promise<unknown>} translate fetches the model and translates
 * @param {number} [times]
 * @returns {Promise<number[]>} milliseconds
 */
export async function timeArrivals(server, model, decoder, translate, times = 3) {
  const milliseconds = [];
  for (let i = 0; i < times; ++i) {
    const run = `${Date.now()}-${i}`;
    const translated = translate(`${server}${model}/${decoder}/${run}`);
    await fetch(`${server}${run}/waiting`);
    await new Promise((later) => void setTimeout(later, kPause));
    const begin = performance.now();
    void fetch(`${server}${run}/release`);
    await translated;
    milliseconds.push(performance.now() - begin);
  }
  return milliseconds;
}
