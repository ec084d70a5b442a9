import { Translator } from 'qkv';
import enFr from 'qkv-en-fr';

async function main() {
  const options = { sourceLanguage: 'en', targetLanguage: 'fr', model: enFr, threads: 2 };
  const translator = await Translator.create(options);
  return `${await translator.translate('I love you.')} ${translator.info.threads}`;
}

main()
  .catch(String)
  .then((text) => (document.querySelector('p').textContent = text));
