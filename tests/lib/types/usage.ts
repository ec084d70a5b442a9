// What a user writes, against the types in the package. types.test.js compiles this file; it never runs.
import {
  QkvError,
  Translator,
  splitSentences,
  version,
  type AttentionMap,
  type CreateOptions,
  type Hypothesis,
  type QkvErrorCode,
  type SearchTree,
  type Trace,
  type TranslatedPart,
} from 'qkv';

export async function translates(signal: AbortSignal): Promise<string> {
  using translator: Translator = await Translator.create({
    sourceLanguage: 'en',
    targetLanguage: 'fr',
    signal,
    monitor: (monitor) =>
      monitor.addEventListener('downloadprogress', (event) => console.log(event.loaded.toFixed(2), event.total)),
  });
  const usage: number = await translator.measureInputUsage('Hello.');
  if (usage > translator.inputQuota) return '';
  return translator.translate('Hello.', { signal, split: false });
}

export async function traces(translator: Translator): Promise<Float32Array> {
  const own: Trace = await translator.trace('Hello. Bye.', { sentence: 1 });
  const pair: Trace = await translator.trace({ source: 'Hello.', target: 'Bonjour.' });
  const [layers, heads, targets, sources] = pair.cross.shape;
  const map: AttentionMap = layers * heads * targets * sources > 0 ? own.cross : own.decoderSelf;
  const piece: string = own.source.text.slice(own.source.begin[0], own.source.end[0]);
  const ranked: boolean = own.alignment.ranked;
  console.log(piece, ranked, own.target.logProbs, JSON.stringify(own));
  return map.data;
}

export async function searches(translator: Translator, signal: AbortSignal): Promise<string[]> {
  const { hypotheses, tree, cut, truncated } = await translator.search('Hello.', {
    beam: 4,
    nBest: 2,
    tree: true,
    signal,
    shortlist: false,
  });
  const best: Hypothesis = hypotheses[0];
  const record: SearchTree | undefined = tree;
  const again: string = await translator.translate('Hello.', { prefix: best.ids.subarray(0, 2) });
  const parts: TranslatedPart[] = await translator.translateParts('Hello. Bye.');
  console.log(record?.parents[best.node ?? 0], best.score, best.logProb, cut || truncated, again);
  const why: false | 'length' | 'repetition' = parts[0].cut;
  console.log(why === 'repetition', translator.info.copy === 'attention');
  return parts.filter((part) => part.cut).map((part) => part.translation);
}

export async function withoutShortlist(translator: Translator): Promise<string> {
  const has: boolean = translator.info.shortlist;
  const trace = await translator.trace('Hello.', { shortlist: !has });
  const stream: ReadableStream<string> = translator.translateStreaming('Hello.', { shortlist: false });
  console.log(trace, stream);
  return translator.translate('Hello.', { shortlist: has, split: false });
}

export const models: CreateOptions['model'][] = [
  'https://example.org/model/',
  new URL('https://example.org/model/'),
  [new File([], 'config.json')],
  { files: { 'config.json': new Blob(), 'vocab.json': new Uint8Array(), 'source.spm': new URL('file:///x') } },
];

export function explains(error: unknown): QkvErrorCode | string {
  if (error instanceof QkvError) return error.code === 'MISSING_FILE' ? error.where : error.message;
  return error instanceof DOMException && error.cause instanceof QkvError ? error.cause.code : version;
}

export const sentences: string[] = splitSentences('a. b.', 'en')
  .filter((part) => part.sentence)
  .map((part) => part.text);

export async function refused(translator: Translator) {
  // @ts-expect-error the languages are required
  await Translator.create({});
  // @ts-expect-error
  new Translator();
  // @ts-expect-error a text, not several
  await translator.translate(['a', 'b']);
  // @ts-expect-error a pair has no sentences to choose from
  await translator.trace({ source: 'a', target: 'b' }, { sentence: 1 });
  // @ts-expect-error
  await translator.trace({ source: 'a' });
  // @ts-expect-error a number
  await translator.search('a', { nBest: '2' });
  // @ts-expect-error a boolean
  await translator.translate('a', { shortlist: 'none' });
  // @ts-expect-error a text or ids
  await translator.translate('a', { prefix: ['a'] });
  // @ts-expect-error read only
  translator.sourceLanguage = 'de';
  // @ts-expect-error not a file
  await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model: { files: { 'config.json': 7 } } });
  // @ts-expect-error not a code
  new QkvError('OOPS', 'no');
  const { score } = await translator.score('a', 'b');
  // @ts-expect-error a number
  score.length;
}
