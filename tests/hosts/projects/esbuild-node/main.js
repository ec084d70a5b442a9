import { Translator } from 'qkv';

async function main() {
  const pair = { sourceLanguage: 'en', targetLanguage: 'fr' };
  const translator = await Translator.create({ ...pair, baseUrl: `${__dirname}/qkv/` });
  console.log(await translator.translate('I love you.'));
  translator.destroy();
}
main().catch((error) => console.log(error.message));
