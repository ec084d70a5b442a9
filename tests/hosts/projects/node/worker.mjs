import { Translator } from 'qkv';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';

if (isMainThread) {
  new Worker(new URL(import.meta.url)).on('message', (text) => console.log(text));
} else {
  const pair = { sourceLanguage: 'en', targetLanguage: 'fr' };
  const translator = await Translator.create({ ...pair, worker: true });
  parentPort.postMessage(await translator.translate('I love you.'));
  translator.destroy();
}
