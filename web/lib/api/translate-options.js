// The options of a Translator's calls.

/** @typedef {import('../text/carry-options.js').CarryOptions} CarryOptions */

/** @typedef {import('./interventions.js').Intervention} Intervention */

/** @typedef {import('../text/languages.js').LanguagePair} LanguagePair */

/** @typedef {import('../loading/model-source.js').ModelOption} ModelOption */

/**
 * @typedef {object} CreateOptions
 * @property {string} sourceLanguage a BCP 47 tag, such as 'en'; the text is split into sentences by its rules
 * @property {string} targetLanguage a BCP 47 tag, such as 'fr'
 * @property {ModelOption | ModelOption[]} [model] the export of a package such as qkv-en-fr: `import enFr from
 *   'qkv-en-fr'`. Or a model folder in MarianMT's layout (config.json, vocab.json, source.spm, model.safetensors; optionally
 *   target.spm, target_vocab.json, generation_config.json and shortlist.bin) or with Marian's own files. A folder is given
 *   as its URL (in Node also a path), as the URL of its manifest.json, which lists its files, as the files that a person
 *   chose with `<input type="file" webkitdirectory>`, as `{files: {name: Blob | ArrayBuffer | Uint8Array | URL}}`, or as a
 *   zip: its bytes, or a URL that ends in .zip. With a list of two models, the first translates into `pivotLanguage`, and
 *   the second from there. Default: with `baseUrl` the folder `en-fr/` in it; in Node the model of an installed package
 * @property {string | URL | ((pair: LanguagePair) => ModelOption | null | undefined)} [models] where models are if there is no
 *   `model`: the URL of a folder that has a folder for each pair of `languagePairs()`, such as en-fr/. It may be on another
 *   origin with CORS. Or a function that returns the model for a pair, as for `model`, or undefined if there is none
 * @property {string | URL | object} [registry] instead of `model`: a list of models. It is given as the URL of a file like
 *   Mozilla's models.json, as its content, or as the result of `registry()`. The model for the pair is downloaded and its
 *   hashes are checked. If the list has no model for the pair, two models translate through English
 * @property {string} [pivotLanguage] the language between two models; default: 'en'
 * @property {boolean | import('../loading/model-source.js').ModelStore} [store] whether the downloaded model is kept for the next
 *   visit in the browser's Cache Storage; default: yes. Node and pages without HTTPS have none. Your own store has the
 *   methods `match`, `put`, `delete` and `keys` of a Cache, and needs `worker: false`
 * @property {(monitor: import('./monitor.js').CreateMonitor) => void} [monitor] gets an EventTarget with
 *   'downloadprogress' events
 * @property {AbortSignal} [signal] ends the creation
 * @property {boolean} [worker] whether the engine runs in its own worker; default: yes in browsers, no in Node.
 *   Without one it runs in this thread, a few milliseconds at a time
 * @property {'baseline' | 'relaxed' | (string & {}) | URL | ArrayBuffer | WebAssembly.Module} [wasm] default: the
 *   faster of the package's two builds that runs here. Or one of them by name, or a build by URL, bytes or module
 * @property {string | URL} [baseUrl] a folder with the files of qkv's `assets`, and optionally of models; default:
 *   beside the package's scripts, where bundlers put them
 * @property {number} [threads] the number of threads that compute, from 1 to 16; default: 1. More than one needs a
 *   cross-origin isolated page with relaxed SIMD, an engine in a worker, and no option `wasm`. Otherwise, and in Node,
 *   there is one. `info.threads` says how many there are. Translations do not depend on it
 * @property {number} [workers] the number of workers that share a text of more than 32 sentences, from 1 to 16;
 *   default: 1. The others start at the first such text. Each has a copy of the model, which is downloaded once. The page
 *   need not be cross-origin isolated
 * @property {number} [beam] the number of hypotheses that the search keeps; 1: greedy search, the fastest; default: the
 *   model's own number
 * @property {boolean} [interventions] true: calls may change the model's attention. This uses the engine of `qkv/models`. It
 *   needs a single model, a Transformer in MarianMT's layout or a recurrent model, and one worker
 */

/** @typedef {{signal?: AbortSignal | null}} CallOptions `signal` aborts the call, with its reason */

/**
 * @typedef {object} StreamOptionsFields
 * @property {AbortSignal | null} [signal] aborts the call, with its reason
 * @property {boolean} [shortlist] as in TranslateOptions
 * @property {number} [maxLength] as in TranslateOptions
 */
/** @typedef {StreamOptionsFields & CarryOptions} StreamOptions */

/**
 * The beginning of a translation: a text, or ids of pieces from a trace or a search, which are used unchanged. If the
 * last id is that of '</s>', the ids are the whole translation.
 * @typedef {string | ArrayLike<number>} Prefix
 */

/**
 * @typedef {object} TranslateOptionsFields
 * @property {AbortSignal | null} [signal] aborts the call, with its reason
 * @property {boolean} [split] false: the text is one sentence; default: true, unless there is a prefix
 * @property {Prefix} [prefix] the beginning of the translation; the text then counts as one sentence
 * @property {boolean} [shortlist] false: use the whole vocabulary, even if the model has a shortlist
 *   (`info.shortlist`); default: use the likely pieces of the shortlist, which is faster
 * @property {number} [maxLength] the most pieces to write for a sentence, from 1; default: three times the
 *   sentence's pieces plus 50. It is never more than the model has positions
 * @property {Intervention[]} [interventions] changes to the model's attention, to feed-forward blocks and to layers. The
 *   translator must have been created with `interventions: true`
 * @property {'text'} [format] the format of the text; for 'html' see HtmlOptions
 */
/** @typedef {TranslateOptionsFields & CarryOptions} TranslateOptions */

/** @typedef {StreamOptions} FragmentOptions */
/**
 * The options of `translate` for HTML, whose elements stay (docs/markup.md). `parser`: the module htmlparser2, if there is
 * no DOMParser, as in workers. In Node the installed module is found.
 * @typedef {FragmentOptions & {format: 'html', parser?: {Parser: any}}} HtmlOptions
 */

/**
 * @typedef {object} SearchOptionsFields
 * @property {AbortSignal | null} [signal] aborts the call, with its reason
 * @property {number} [beam] hypotheses to keep in each step, from 1 to 64; default: the translator's own number
 * @property {number} [nBest] hypotheses to return, from 1 to `beam`; default: `beam`
 * @property {boolean} [tree] true: also return the record of the search
 * @property {Prefix} [prefix] the beginning of every hypothesis
 * @property {number} [maxLength] as in TranslateOptions
 * @property {Intervention[]} [interventions] as in TranslateOptions
 * @property {boolean} [shortlist] as in TranslateOptions. With a shortlist, probabilities are normalised over its
 *   pieces. So they are a little higher than those of `trace` and `score`
 */
/** @typedef {SearchOptionsFields & CarryOptions} SearchOptions */

/**
 * @typedef {object} TraceOptionsFields
 * @property {AbortSignal | null} [signal] aborts the call, with its reason
 * @property {number} [sentence] the number of the sentence to trace, from 0; default: the whole text
 * @property {Prefix} [prefix] the beginning of the model's own translation
 * @property {number} [maxLength] as in TranslateOptions, for the model's own translation
 * @property {Intervention[]} [interventions] as in TranslateOptions
 * @property {boolean} [vectors] true: each attention has the queries, keys and values of its weights
 * @property {boolean} [shortlist] as in TranslateOptions, for the model's own translation; the probabilities of a trace
 *   are always normalised over the whole vocabulary
 */
/** @typedef {TraceOptionsFields & CarryOptions} TraceOptions */

/**
 * @typedef {{prefix?: Prefix, shortlist?: boolean, maxLength?: number, interventions?: Intervention[]} & CarryOptions} Choice the options of a search
 */

export {};
