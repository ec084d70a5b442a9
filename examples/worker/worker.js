// A worker that has more to do than to translate: the engine computes in this thread, a few milliseconds at a time.
import { Translator } from './node_modules/qkv/index.js';
import enFr from './node_modules/qkv-en-fr/index.js';

const options = { sourceLanguage: 'en', targetLanguage: 'fr', model: enFr, worker: false };
const creating = Translator.create(options);

let controller = new AbortController();
addEventListener('message', async ({ data }) => {
  controller.abort(); // what was asked before is not wanted any more
  controller = new AbortController();
  const { signal } = controller;
  try {
    const translator = await creating;
    postMessage(await translator.translate(data, { signal }));
  } catch (error) {
    if (!signal.aborted) postMessage(error.message);
  }
});
