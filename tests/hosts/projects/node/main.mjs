import { Translator } from 'qkv';

const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
console.log(await translator.translate('I love you.'));
translator.destroy();
