// What a user of 'qkv/models' writes, against the types in the package. types.test.js compiles this file; it never
// runs.
import {
  Encoder,
  Generator,
  QkvError,
  Translator,
  inspect,
  load,
  type AnyModelOption,
  type EncoderInfo,
  type FolderInfo,
  type GenerateOptions,
  type Generated,
  type Likeliest,
  type LoadOptions,
  type Tag,
  type TensorInfo,
} from 'qkv/models';

const options: LoadOptions = {
  numbers: 'int8',
  worker: true,
  monitor: (m) => m.addEventListener('downloadprogress', () => {}),
};

export async function everything(model: AnyModelOption, zip: Blob, signal: AbortSignal): Promise<string> {
  const size: FolderInfo = await inspect(zip, { signal });
  const any = await load(model, { ...options, signal, sourceLanguage: 'en', targetLanguage: 'fr' });
  if (any instanceof Translator) return any.translate('How are you?');
  if (any instanceof Generator) {
    const how: GenerateOptions = { maxLength: 5, temperature: 0.8, topK: 40, topP: 0.9, stop: ['\n'], seed: 1, signal };
    const written: Generated = await any.generate('Once', how);
    const stream: ReadableStream<string> = any.stream('Once', how);
    const { decoderSelf } = await any.trace('Once upon');
    const next: Likeliest = await any.next('Once', { count: 10, signal });
    const listed: TensorInfo[] = size.tensors;
    return `${written.text} ${stream.locked} ${decoderSelf.shape} ${size.class} ${next.pieces} ${listed[0].dtype}`;
  }
  const info: Readonly<EncoderInfo> = any.info;
  const [{ guesses }] = await any.fillMask(`a ${info.mask}`, { count: 3 });
  const tags: Tag[] = await any.tag('a');
  const [{ label, score }] = await any.classify('a', { second: 'b' });
  const [{ begin, end }] = await any.answer('What?', 'That.', { maxLength: 4 });
  const { vectors, mean } = await any.encode('a');
  any.destroy();
  return `${guesses[0].piece} ${tags.length} ${label} ${score} ${begin} ${end} ${vectors.data.length} ${mean.length}`;
}

export const encoder: Promise<Encoder> = Encoder.load('/models/bert/');
export const byClass: [Promise<Encoder>, Promise<Generator>, Promise<Translator>] = [
  load('/models/bert/', { class: 'Encoder' }),
  load('/models/gpt2/', { class: 'Generator', numbers: 'int8' }),
  load('/models/opus/', { class: 'Translator', sourceLanguage: 'en', targetLanguage: 'de' }),
];
export const isOurs = (error: unknown): boolean => error instanceof QkvError && error.code === 'UNSUPPORTED';

// @ts-expect-error a class is one of three
export const unknown = load('/models/bert/', { class: 'Decoder' });
// @ts-expect-error weights are stored in one of three types
export const wrong: LoadOptions = { numbers: 'int4' };
