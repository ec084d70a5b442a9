import './node_modules/qkv/static.js';
import { Translator } from './node_modules/qkv/index.js';
import enFr from './node_modules/qkv-en-fr/index.js';

globalThis.translate = async (text) => {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model: enFr });
  return translator.translate(text);
};
