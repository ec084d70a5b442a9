// A worker that does other work too: the engine computes in this thread, a few milliseconds at a time.
import { Translator } from './node_modules/qkv/index.js';
import enFr from './node_modules/qkv-en-fr/index.js';

const options = { sourceLanguage: 'en', targetLanguage: 'fr', model: enFr, worker: false };
const creating = Translator.create(options);

let controller = new AbortController();
addEventListener('message', async ({ data }) => {
  controller.abort(); // a newer text has come
  controller = new AbortController();
  const { signal } = controller;
  try {
    const translator = await creating;
    postMessage(await translator.translate(data, { signal }));
  } catch (error) {
    if (!signal.aborted) postMessage(error.message);
  }
});
