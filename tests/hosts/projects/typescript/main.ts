import { Translator, QkvError } from 'qkv';
import { attention } from 'qkv/attention';
import { load } from 'qkv/models';
import { Trainer } from 'qkv/train';
import { LanguageDetector } from 'qkv/translator-api';
import { install } from 'qkv/translator-api/install';
import enFr from 'qkv-en-fr';

export async function main(): Promise<string> {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model: enFr });
  const { output } = await attention({ query: [[0, 0]], memory: [[1, 2]] });
  return `${await translator.translate('I love you.')} ${output.data.length} ${typeof load} ${Trainer.name} ${QkvError.name} ${LanguageDetector.name} ${install.name}`;
}
