// bergamot-translator, Marian in WebAssembly, started as its own worker script starts it, with that script's settings.
// It has one thread only. The models are made here (models/marian.mjs).

import { timeArrivals } from '../arrivals-timing.mjs';
import { architectures } from '../models/architectures.mjs';
import { folderOf } from '../models/folder-names.mjs';
import { marianModel } from '../models/marian.mjs';
import { textsOf } from '../models/texts.mjs';

const kFolder = 'tests/bench/node_modules/@browsermt/bergamot-translator/worker/';
const kScript = `${kFolder}bergamot-translator-worker.js`;

// Functions that the module imports and has among its own exports, for browsers without faster ones.
const kFallbacks = {
  int8_prepare_a: 'int8PrepareAFallback',
  int8_prepare_b: 'int8PrepareBFallback',
  int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
  int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
  int8_prepare_bias: 'int8PrepareBiasFallback',
  int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
  int8_select_columns_of_b: 'int8SelectColumnsOfBFallback',
};

// max-length-factor: as many pieces out as in. The package has 2, which is never reached when a model ends its
// sentences.
const kConfig = `
beam-size: 1
normalize: 1.0
word-penalty: 0
cpu-threads: 0
gemm-precision: int8shiftAlphaAll
skip-cost: true
alignment: soft
quiet: true
quiet-translation: true
max-length-break: 128
mini-batch-words: 1024
workspace: 128
max-length-factor: 1.0
`;

/** @param {import('./session.mjs').Host} host */
export async function open(host) {
  const shared = await startService(host);

  /** @param {import('../workloads.mjs').Translate} work @param {'ssru' | 'self-attention'} decoder */
  async function prepare(work, decoder) {
    const folder = folderOf(work.model, work.precision);
    const shortlist = work.shortlist ? await host.bytes(`${folder}/shortlist.bin`) : new Uint8Array(0);
    const vocabulary = await host.bytes(`${folder}/source.spm`);
    const load = (module, bytes) => {
      const vocabularies = new module.AlignedMemoryList();
      vocabularies.push_back(aligned(module, vocabulary, 64));
      const weights = aligned(module, bytes, 256);
      return new module.TranslationModel(kConfig, weights, aligned(module, shortlist, 64), vocabularies, null);
    };
    const { texts: sentences, words } = textsOf(work);
    const texts = work.isOneText ? [sentences.join(' ')] : sentences;
    const own = marianModel(architectures[work.model], decoder);
    const model = load(shared.module, own);
    const run = () => translate(shared, model, texts);
    if (run().some((text) => text === '')) throw new Error('bergamot wrote nothing');
    // It has no call that gives the first sentence before the last one.
    if (work.kind === 'translate-sentence') return { run, release: () => model.delete() };
    if (work.kind === 'translate-text') return { run, words, release: () => model.delete() };
    model.delete();
    const first = (started, bytes = own) => {
      const fresh = load(started.module, bytes);
      translate(started, fresh, texts);
      fresh.delete();
    };
    if (work.kind === 'translate-arriving') {
      const arriving = async (url) => {
        const started = await startService(host);
        first(started, new Uint8Array(await (await fetch(url)).arrayBuffer()));
      };
      const timed = () => timeArrivals(host.builds.arrivals, work.model, decoder, arriving);
      return { sample: async () => ({ milliseconds: await timed(), words }) };
    }
    if (work.kind === 'translate-first') return { run: () => first(shared), words };
    return { run: async () => first(await startService(host)), words };
  }
  return { prepare };
}

/** The engine from its files, ready for models. @param {import('./session.mjs').Host} host */
async function startService(host) {
  const module = await start(host, await host.bytes(`${kFolder}bergamot-translator-worker.wasm`));
  return { module, service: new module.BlockingService({ cacheSize: 0 }) };
}

/** @param {import('./session.mjs').Host} host @param {Uint8Array} wasm */
async function start(host, wasm) {
  const script = new TextDecoder().decode(await host.bytes(kScript));
  const parameters = host.isNode ? await commonJs(host.url(kScript)) : {};
  return new Promise((resolve, reject) => {
    const module = {
      print() {},
      printErr() {},
      instantiateWasm(imports, accept) {
        const gemm = Object.entries(kFallbacks).map(([name, own]) => [name, (...args) => module.asm[own](...args)]);
        WebAssembly.instantiate(wasm, { ...imports, wasm_gemm: Object.fromEntries(gemm) })
          .then(({ instance }) => accept(instance))
          .catch(reject);
        return {};
      },
      onRuntimeInitialized: () => resolve(module),
      onAbort: (reason) => reject(new Error(`bergamot: ${reason}`)),
    };
    // In its own scope, so that it can be started again.
    // eslint-disable-next-line no-new-func -- the text is that of a pinned package
    new Function('Module', ...Object.keys(parameters), script)(module, ...Object.values(parameters));
  });
}

/** The globals that Node gives a script. @param {string} url */
async function commonJs(url) {
  const { createRequire } = await import('node:module');
  return { require: createRequire(url), __filename: new URL(url).pathname, __dirname: new URL('.', url).pathname };
}

/** @param {Uint8Array} bytes @param {number} alignment */
function aligned(module, bytes, alignment) {
  const memory = new module.AlignedMemory(bytes.length, alignment);
  if (bytes.length > 0) memory.getByteArrayView().set(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  return memory;
}

/** @param {{module: any, service: any}} started @param {string[]} texts @returns {string[]} */
function translate({ module, service }, model, texts) {
  const input = new module.VectorString();
  const options = new module.VectorResponseOptions();
  for (const text of texts) {
    input.push_back(text);
    options.push_back({ qualityScores: false, alignment: false, html: false });
  }
  const responses = service.translate(model, input, options);
  const translations = texts.map((_, i) => responses.get(i).getTranslatedText());
  for (const each of [input, options, responses]) each.delete();
  return translations;
}
