// The types of 'qkv/detect', as a TypeScript user meets them.
import { type Detected, type DetectOptions, detectLanguage, languages, loadDetector, QkvError } from 'qkv/detect';

export async function detect(signal: AbortSignal): Promise<string> {
  const options: DetectOptions = { top: 2, letters: true, baseUrl: new URL('https://example.org/qkv/'), signal };
  const found: Detected = await detectLanguage('Wo ist der Bahnhof?', options);
  const share: number | undefined = found.letters?.[0];
  const tags: readonly string[] = languages;
  const detector = await loadDetector({ report: (loaded: number) => void loaded });
  const [{ detectedLanguage, confidence }] = detector.detect('a');
  // @ts-expect-error: there is no such option
  await detectLanguage('a', { tops: 1 });
  // @ts-expect-error: a text is a string
  await detectLanguage(7).catch((error: QkvError) => error.code);
  return `${found.language} ${share} ${tags.length} ${detectedLanguage} ${confidence + found.candidates[0].confidence}`;
}
