// A page that translates one text with qkv, and says how long after its opening the translation is there.

import { Translator, models } from '/dist/index.js';

const { files, text, options } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const absolute = Object.entries(files).map(([name, path]) => [name, new URL(path, location.origin)]);
const model = { files: Object.fromEntries(absolute) };
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model });
const translation = await translator.translate(text, options);
globalThis.visit = { translation, milliseconds: performance.now() };
/** Whether the next visit finds the model on the device. */
globalThis.isKept = async () => (await models.list()).length > 0;
