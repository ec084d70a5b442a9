// What a user of the façade writes, against the types in the package. types.test.js compiles this file; it never runs.
import {
  CreateMonitor,
  LanguageDetector,
  Translator,
  configure,
  type Availability,
  type Configuration,
  type LanguageDetectionResult,
} from 'qkv/translator-api';
import { install } from 'qkv/translator-api/install';

export async function translates(signal: AbortSignal): Promise<string> {
  const options: Configuration = {
    models: ({ sourceLanguage, targetLanguage }) =>
      targetLanguage === 'fr' ? `/models/${sourceLanguage}-${targetLanguage}/` : undefined,
    threads: 2,
    store: true,
  };
  configure(options);
  install({ when: 'unavailable' });
  const pair = { sourceLanguage: 'en', targetLanguage: 'fr' };
  const state: Availability = await Translator.availability(pair);
  const translator: Translator = await Translator.create({
    ...pair,
    signal,
    monitor(monitor) {
      monitor.addEventListener('downloadprogress', (event) => console.log(event.loaded.toFixed(2), event.total));
      monitor.ondownloadprogress = ({ loaded }) => console.log(loaded, monitor instanceof CreateMonitor);
    },
  });
  const reader = translator.translateStreaming('Hello.', { signal }).getReader();
  const chunk: string | undefined = (await reader.read()).value;
  const usage: number = await translator.measureInputUsage('Hello.');
  translator.destroy();
  return `${chunk} ${usage} ${translator.inputQuota} ${translator.sourceLanguage} ${state}`;
}

export async function detects(): Promise<LanguageDetectionResult> {
  const detector: LanguageDetector = await LanguageDetector.create({ expectedInputLanguages: ['en', 'fr'] });
  const expected: readonly string[] | null = detector.expectedInputLanguages;
  console.log(expected?.length);
  return (await detector.detect('Hello.'))[0];
}
