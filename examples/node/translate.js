// node translate.js < lines.txt: one line in, one line out.
import { createInterface } from 'node:readline';
import { Translator } from 'qkv';

// The installed package qkv-en-fr is found.
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
for await (const line of createInterface({ input: process.stdin })) {
  console.log(await translator.translate(line));
}
translator.destroy();
