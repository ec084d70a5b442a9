import './node_modules/qkv/static.js';
import { Translator } from './node_modules/qkv/index.js';
import enFr from './node_modules/qkv-en-fr/index.js';

async function translate(text) {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model: enFr });
  return translator.translate(text);
}

addEventListener('message', (event) => {
  const { data, source } = event;
  const done = translate(data)
    .catch(String)
    .then((text) => source.postMessage(text));
  event.waitUntil(done);
});
