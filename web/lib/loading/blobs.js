// Keeps a stream of bytes as a Blob: a browser may store it on disk, and a worker gets it without a copy.

/** @typedef {import('./fetch.js').Opened & {blob?: Blob}} OpenedFile `blob`: the whole file, which can be read in any order */

/**
 * @param {OpenedFile} opened
 * @param {(done: number) => void} progress from 0 to 1
 * @returns {Promise<Blob>} rejects as the chunks do
 */
export async function toBlob(opened, progress) {
  if (opened.blob) return opened.blob;
  const chunks = opened.chunks[Symbol.asyncIterator]();
  let got = 0;
  /** @type {unknown} */
  let problem; // browsers say only that a broken stream could not be fetched
  // The stream copies the chunks, which may share one buffer. A Response makes the Blob.
  const stream = new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await chunks.next();
        if (done) return controller.close();
        controller.enqueue(value.slice());
        got += value.length;
        if (opened.size) progress(Math.min(got / opened.size, 1));
      } catch (error) {
        controller.error((problem = error));
      }
    },
  });
  return new Response(stream).blob().catch((error) => {
    throw problem ?? error;
  });
}
