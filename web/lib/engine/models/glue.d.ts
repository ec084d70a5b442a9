// The functions of the module of qkv/models that the module for translation does not have: wasm/any_models.cc,
// wasm/one_sided.cc, wasm/explain.cc.
import type {
  DecodeOptions,
  Failed,
  LoaderFiles,
  SourceText,
  WasmMap,
  WasmModelInfo,
  WasmModule,
  WasmTokens,
} from '../glue.js';
import createModule from '../glue.js';
import type { Numbers } from '../../loading/folder-source.js';

export type ModelKind = 'translation' | 'encoder' | 'generator';
export type AnyInfo = WasmModelInfo & { kind: ModelKind };

export type FolderRequest = {
  /** The small files, by name. */
  files: [string, string | Uint8Array][];
  /** The files of weights, with their sizes in bytes; 0 if the size is not known. */
  weights: [string, number][];
  numbers: Numbers;
};

export type WasmGuesses = { pieces: string[]; ids: Int32Array; logProbs: Float32Array };
export type WasmEncoding = {
  pieces: string[];
  ids: Int32Array;
  begin: Int32Array;
  end: Int32Array;
  of: Int32Array;
  truncated: boolean;
};
export type WasmEncoded = WasmEncoding & {
  vectors?: WasmMap;
  encoderSelf?: WasmMap;
  masks?: (WasmGuesses & { index: number })[];
  scores?: Float32Array;
  answers?: { first: number; last: number; score: number }[];
};
export type WasmGenerated = WasmGuesses & {
  text: string;
  alternatives: WasmGuesses[];
  end: 'length' | 'end' | 'stop';
  truncated: boolean;
};
export type WasmGenerationTrace = WasmEncoding & {
  logProbs: Float32Array;
  alternatives: WasmGuesses;
  decoderSelf: WasmMap;
};

/** `heads`: the answer to the question 'heads', [layers, heads]; `matrix`: the answer to the others. The other one is empty. */
export type WasmExplanation = {
  source: WasmTokens;
  target: WasmTokens & { logProbs: Float32Array };
  score: number;
  heads: { encoder: WasmMap; decoder: WasmMap; cross: WasmMap };
  matrix: WasmMap;
};

export interface WasmModels extends Omit<WasmModule, 'loaderCreate'> {
  /** The names of the files that a folder with this config.json may have besides its weights. */
  folderFiles(config: string): string[] | Failed;
  shardNames(index: string): string[] | Failed;
  folderLoaderCreate(request: FolderRequest): number | Failed;
  /** The files that decoder.yml of OPUS-MT names; '' for those that it does not name. */
  opusFiles(decoder: string): { weights: string; vocabulary: string } | Failed;
  /** Marian's own files. Only for OPUS-MT's models: `rows` is *vocab.yml, `decoder` is the text of decoder.yml. */
  marianLoaderCreate(
    files: LoaderFiles & { rows?: { name: string; bytes: Uint8Array }; decoder?: string },
  ): number | Failed;
  /** The facts that are known before the weights are loaded. */
  loaderInfo(loader: number): AnyInfo | Failed;
  encodeStart(model: number, inputs: [string, string | null][], options: object): number | Failed;
  encodeResult(job: number, reading: object): WasmEncoded[] | Failed;
  generateStart(model: number, prompt: string, options: object): number | Failed;
  generateText(job: number): string | Failed;
  generateResult(job: number): WasmGenerated | Failed;
  generationTraceStart(model: number, text: string, options: object): number | Failed;
  generationTraceResult(job: number): WasmGenerationTrace | Failed;
  explainStart(
    model: number,
    question: string,
    source: SourceText,
    target: string | null | undefined,
    options: DecodeOptions,
  ): number | Failed;
  explainStep(job: number): boolean | Failed;
  explainResult(job: number): WasmExplanation | Failed;
  explainFree(job: number): void;
  oneSidedStep(job: number): boolean | Failed;
  oneSidedFree(job: number): void;
}

export type GuardedModels = {
  [K in keyof WasmModels]: (...args: Parameters<WasmModels[K]>) => Exclude<ReturnType<WasmModels[K]>, Failed>;
};

export default createModule;
