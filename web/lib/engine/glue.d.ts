// The functions of the WebAssembly module: wasm/*.cc. Handles are small integers; 0 is not a handle.

/** What a function returns instead of a value when it fails. */
export type Failed = { error: import('../base/errors.js').PlainError };

export type DecodeOptions = {
  beam?: number;
  maxLength?: number;
  nBest?: number;
  tree?: boolean;
  /** A text, or ids of pieces. */
  prefix?: string | number[];
  /** For a trace: whether it includes queries, keys and values. */
  vectors?: boolean;
  /** false: choose from the whole vocabulary. */
  shortlist?: boolean;
  /** false: the model reads the text as it is. */
  copy?: boolean;
  /** Changes to the model's forward pass, as JSON; and the number that they give to the first text. */
  interventions?: string;
  sentence?: number;
  /** Whether to return the alignment of each translation. */
  align?: boolean;
};
/** A text, or [text, part, translation of the part, text, ...]. */
export type SourceText = string | string[];
export type Doubt = { confidence: number; warnings: import('./engine.js').Warning[] };
export type WasmHypothesis = {
  text: string;
  pieces: string[];
  ids: Int32Array;
  score: number;
  logProb: number;
  cut: import('./engine.js').Cut;
};
export type WasmTree = { pieces: string[]; ids: Int32Array; parents: Int32Array; logProbs: Float32Array };
export type WasmTranslation = WasmHypothesis &
  Doubt & { truncated: boolean; nBest?: WasmHypothesis[]; tree?: WasmTree; alignment?: WasmAligned };
/** `data`: [target pieces, source pieces]. `copied`: for each part its begin and end in the source, then in the target. */
export type WasmAligned = WasmMap & { source: WasmTokens; target: WasmTokens; copied: Int32Array };
export type WasmTokens = { text: string; pieces: string[]; ids: Int32Array; begin: Int32Array; end: Int32Array };
export type WasmVectors = { dim: number; queries: Float32Array; keys: Float32Array; values: Float32Array };
export type WasmMap = { shape: number[]; data: Float32Array; vectors?: WasmVectors };
export type WasmScore = WasmTokens & { score: number; logProbs: Float32Array };

export type WasmTrace = Doubt & {
  copied: Int32Array;
  source: WasmTokens;
  target: WasmTokens & { logProbs: Float32Array };
  targetInput: string[];
  score: number;
  sourceTruncated: boolean;
  targetTruncated: boolean;
  cut: import('./engine.js').Cut;
  encoderSelf: WasmMap;
  decoderSelf: WasmMap;
  gates?: WasmMap;
  cross: WasmMap;
  window?: { centres: Float32Array; halfWidth: number };
  alternatives: { count: number; pieces: string[]; ids: Int32Array; logProbs: Float32Array };
  alignment: WasmMap & { heads: [number, number][]; ranked: boolean };
};

export type WasmModelInfo = Omit<import('./info.js').ModelInfo, 'name'>;

export type LoaderFiles = {
  /** Absent for a model in Marian's own files. */
  config?: string;
  generationConfig?: string;
  vocab?: string;
  /** The names of Marian's files, for errors. */
  names?: { weights: string; sourceSpm: string; targetSpm: string; shortlist: string };
  sourceSpm: Uint8Array | null;
  targetSpm: Uint8Array | null;
  shortlist: Uint8Array | null;
  /** The size of model.safetensors in bytes; 0 if it is not known. */
  weightsSize: number;
};

/** A tensor of the attention family: the shape is [heads, rows, columns]. */
export type WasmTensor = { data: Float32Array; shape: number[] };

/** d loss / d weight of each attention of a model: [layers, heads, queries, keys] each. The loss: -log p, in nats. */
export type AttentionGradient = { loss: number; encoderSelf: WasmTensor; decoderSelf: WasmTensor; cross: WasmTensor };

export type WasmChoices = {
  score: string;
  parameters: (WasmTensor & { name: string })[];
  selection: string;
  temperature: number;
  alpha: number;
  seedHigh: number;
  seedLow: number;
  window: {
    kind: string;
    halfWidth: number;
    sinks: number;
    W_p?: WasmTensor;
    v_p?: WasmTensor;
    centres?: WasmTensor & { given: number[] };
  };
  mask: {
    causal: boolean;
    firstQuery: number;
    /** Whether `firstQuery` was given. */
    isPlaced: boolean;
    paddingFrom?: number;
    allowed?: { data: Uint8Array; shape: number[] };
    bias?: WasmTensor;
  };
  maskUsed: boolean;
  /** Inputs, masks and results are columns. */
  columns: boolean;
  record: Record<string, boolean>;
};

export type WasmAttention = WasmChoices & {
  query: WasmTensor;
  key: WasmTensor;
  value?: WasmTensor;
  valueIsKey: boolean;
  concatenate: boolean;
  /** Each query is a head. */
  spread: boolean;
  /** The size of all tensors, with copies. */
  bytes: number;
};

/** A request with a gradient of the output, of the weights, or both. */
export type WasmAttentionGradient = WasmAttention & { outputGradient?: WasmTensor; weightsGradient?: WasmTensor };

/** `state`: the sums over earlier keys; absent if there are none. */
export type WasmLinear = {
  query: WasmTensor;
  key: WasmTensor;
  value: WasmTensor;
  causal: boolean;
  state?: { data: Float64Array; shape: number[] };
  bytes: number;
};

export type WasmMultiHead = WasmChoices & {
  query: WasmTensor;
  key?: WasmTensor;
  value?: WasmTensor;
  memory?: { keys: WasmTensor; values: WasmTensor };
  remember: boolean;
  heads: number;
  keyHeads: number;
  weights: Record<string, WasmTensor>;
  biases: Record<string, WasmTensor>;
  bytes: number;
};

export type WasmRecords = { output?: WasmTensor; [name: string]: any };

/** The data of a training: texts of lines SOURCE<TAB>TARGET, and the files of a vocabulary, absent for one of characters. */
export type TrainerData = {
  pairs: string;
  dev?: string;
  vocab?: string;
  sourceSpm?: Uint8Array;
  targetSpm?: Uint8Array;
};

/** Sets of points: coordinates, the number of points of each set, orders, the number of places of each order. */
export type PointerData = { points: number[]; sizes: number[]; places: number[]; lengths: number[] };

export type WasmPointerStep = { step: number; loss: number; rate: number; gradient: number; finite: boolean };

export type WasmTrainerStep = {
  step: number;
  /** Sums over `pieces`, in nats: with label smoothing and without. */
  loss: number;
  nll: number;
  pieces: number;
  /** Pieces of source and target since the beginning. */
  tokens: number;
  rate: number;
  gradient: number;
  finite: boolean;
};

export interface WasmModule {
  // Only in the build that trains. A trainer's handle is also the handle of its model.
  trainerCreate(config: string, data: TrainerData): number | Failed;
  trainerStep(trainer: number): WasmTrainerStep | Failed;
  trainerMeasure(trainer: number): number | Failed;
  trainerRate(trainer: number, rate: number): undefined | Failed;
  trainerGradient(trainer: number, source: string, target: string): AttentionGradient | Failed;
  trainerSave(trainer: number): { place: string; tensors: Uint8Array } | Failed;
  trainerLoad(trainer: number, place: string, tensors: Uint8Array): undefined | Failed;
  trainerFiles(trainer: number): Record<string, Uint8Array> | Failed;
  trainerFree(trainer: number): void;
  pointerCreate(config: string, sets: PointerData, dev: PointerData): number | Failed;
  pointerStep(trainer: number): WasmPointerStep | Failed;
  pointerMeasure(trainer: number): number | Failed;
  pointerRate(trainer: number, rate: number): undefined | Failed;
  pointerRun(
    trainer: number,
    points: number[],
    most: number,
    stop: number,
  ): { places: Int32Array; weights: Float32Array } | Failed;
  pointerSave(trainer: number, moments: boolean): { step: number; tensors: Uint8Array } | Failed;
  pointerLoad(trainer: number, tensors: Uint8Array, step: number, moments: boolean): undefined | Failed;
  pointerSize(trainer: number): number | Failed;
  errorCodes(): string[];
  /** Sets the number of threads. Call it before anything is computed. Builds without threads always have one. */
  useThreads(count: number): void;
  loaderCreate(files: LoaderFiles): number | Failed;
  /** `file`: the index of the file that has the range. */
  loaderNext(loader: number): { offset: number; length: number; file: number } | Failed;
  /** A view of the module's memory. It is not valid after any other call. */
  loaderStage(loader: number): Uint8Array | Failed;
  loaderCommit(loader: number): undefined | Failed;
  /**
   * Prepares the engine's code for translations: some milliseconds of work, for the time while bytes are waited for.
   * Returns whether there is more of it; undefined as long as too little of the weights has come.
   */
  loaderWarmUp(loader: number): boolean | undefined | Failed;
  /** Frees the loader when it succeeds. */
  loaderFinish(loader: number): number | Failed;
  loaderFree(loader: number): void;
  modelInfo(model: number): WasmModelInfo | Failed;
  modelFree(model: number): void;
  memoryBytes(): number;
  translateStart(model: number, texts: SourceText[], options: DecodeOptions): number | Failed;
  translateResult(job: number): WasmTranslation[] | Failed;
  traceStart(model: number, source: SourceText, target: string | null, options: DecodeOptions): number | Failed;
  traceResult(job: number): WasmTrace | Failed;
  scoreStart(model: number, source: SourceText, target: string, options: DecodeOptions): number | Failed;
  scoreResult(job: number): WasmScore | Failed;
  jobStep(job: number): boolean | Failed;
  jobFree(job: number): void;
  scoreList(): object[];
  selectionNames(): string[];
  windowNames(): string[];
  attend(request: WasmAttention): WasmRecords | Failed;
  attendGradient(request: WasmAttentionGradient): WasmRecords | Failed;
  attendLinear(request: WasmLinear): { output: WasmTensor; state: { data: Float64Array; shape: number[] } } | Failed;
  multiHead(request: WasmMultiHead): WasmRecords | Failed;
  sinusoidal(count: number, d: number, layout: string, first: number): WasmTensor | Failed;
  rotation(delta: number, d: number, layout: string): WasmTensor | Failed;
  rotary(x: WasmTensor, bytes: number, first: number, layout: string, base: number): WasmTensor | Failed;
  learned(x: WasmTensor, table: WasmTensor, bytes: number, first: number): WasmTensor | Failed;
  tokenize(model: number, text: string, side: 'source' | 'target'): WasmTokens | Failed;
}

type InstantiateWasm = (
  imports: any,
  receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
) => object;

/** Only for the build with threads: how many to start beside the first, and a function that starts one by name. */
export type ThreadOptions = { workers: number; startThread: (name: string) => Worker };

export default function createModule(options: {
  instantiateWasm: InstantiateWasm;
  workers?: number;
  startThread?: (name: string) => Worker;
  print?: (text: string) => void;
  printErr?: (text: string) => void;
  onAbort?: (what: unknown) => void;
}): Promise<WasmModule>;
