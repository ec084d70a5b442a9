// node translate.js < lines.txt: a line in, a line out.
import { createInterface } from 'node:readline';
import { Translator } from 'qkv';

// The model is found: qkv-en-fr is installed.
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
for await (const line of createInterface({ input: process.stdin })) {
  console.log(await translator.translate(line));
}
translator.destroy();
