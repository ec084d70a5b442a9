// The options of a Translator's calls.

/** @typedef {import('../text/carry-options.js').CarryOptions} CarryOptions */

/** @typedef {import('./interventions.js').Intervention} Intervention */

/** @typedef {import('../text/languages.js').LanguagePair} LanguagePair */

/** @typedef {import('../loading/model-source.js').ModelOption} ModelOption */

/**
 * @typedef {object} CreateOptions
 * @property {string} sourceLanguage a BCP 47 tag, such as 'en'; sentences are found by its rules
 * @property {string} targetLanguage a BCP 47 tag, such as 'fr'
 * @property {ModelOption | ModelOption[]} [model] what a package such as qkv-en-fr exports: `import enFr from
 *   'qkv-en-fr'`. Left out: the model of an installed package in Node, and with `baseUrl` the folder `en-fr/` in it. Or
 *   a model folder in MarianMT's layout (config.json, vocab.json, source.spm, model.safetensors; target.spm,
 *   target_vocab.json, generation_config.json and shortlist.bin if it has them) or with Marian's own files: its URL (in
 *   Node also a path), the URL of its manifest.json, which lists its files, the files a person chose with `<input
 *   type="file" webkitdirectory>`, or `{files: {name: Blob | ArrayBuffer | Uint8Array | URL}}`, or a zip of them: its
 *   bytes, or a URL that ends in .zip. A list of two of these translates by the first into `pivotLanguage`, and by the
 *   second from there
 * @property {string | URL | ((pair: LanguagePair) => ModelOption | null | undefined)} [models] where models are if `model` is left
 *   out, also on another origin with CORS: the URL of a folder that has a folder for each pair of `languagePairs()`, such
 *   as en-fr/; or a function that returns the model for a pair, as `model` takes it, or undefined if there is none
 * @property {string | URL | object} [registry] instead of `model`: a list of models: the URL of a file like Mozilla's
 *   models.json, its content, or the result of `registry()`. The model for the pair is downloaded and its hashes are
 *   checked; if the list has none, two models through English
 * @property {string} [pivotLanguage] the language between two models; left out: 'en'
 * @property {boolean | import('../loading/model-source.js').ModelStore} [store] whether the downloaded model is kept for the next
 *   visit in the browser's Cache Storage; left out: yes. Node and pages without HTTPS have none. Your own store has the
 *   methods `match`, `put`, `delete` and `keys` of a Cache, and needs `worker: false`
 * @property {(monitor: import('./monitor.js').CreateMonitor) => void} [monitor] gets an EventTarget with
 *   'downloadprogress' events
 * @property {AbortSignal} [signal] ends the creation
 * @property {boolean} [worker] whether the engine runs in its own worker; left out: yes in browsers, no in Node.
 *   Without one it runs in this thread, a few milliseconds at a time
 * @property {'baseline' | 'relaxed' | (string & {}) | URL | ArrayBuffer | WebAssembly.Module} [wasm] left out: the
 *   faster of the package's two builds that runs here. Or one of them by name, or a build by URL, bytes or module
 * @property {string | URL} [baseUrl] a folder with the files of qkv's `assets`, and optionally of models; left out:
 *   beside the package's scripts, where bundlers put them
 * @property {number} [threads] how many threads compute, from 1 to 16; left out: one. More than one needs a
 *   cross-origin isolated page with relaxed SIMD, an engine in a worker, and `wasm` left out; otherwise, and in Node,
 *   there is one: `info.threads` says so. Translations do not change
 * @property {number} [workers] how many workers share a text of more than 32 sentences, from 1 to 16; left out: one.
 *   The others start with the first such text, each with a copy of the model, which is downloaded once; the page need
 *   not be isolated
 * @property {number} [beam] hypotheses that the search keeps: 1 is greedy, the fastest; left out: the model's own number
 * @property {boolean} [interventions] true: calls may change the model's attention, by the engine of `qkv/models`. For one
 *   model, a Transformer in MarianMT's layout or a recurrent one, and one worker
 */

/** @typedef {{signal?: AbortSignal | null}} CallOptions `signal` aborts the call, with its reason */

/**
 * @typedef {object} StreamOptionsFields
 * @property {AbortSignal | null} [signal] gives the call up, with its reason
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
 * @property {AbortSignal | null} [signal] gives the call up, with its reason
 * @property {boolean} [split] false: the text is one sentence; left out: true, unless there is a prefix
 * @property {Prefix} [prefix] the beginning of the translation; the text then counts as one sentence
 * @property {boolean} [shortlist] false: use the whole vocabulary, even if the model has a shortlist
 *   (`info.shortlist`); left out: use the likely pieces of the shortlist, which is faster
 * @property {number} [maxLength] the most pieces to write for a sentence, from 1; left out: three times the
 *   sentence's pieces and 50 more. Never more than the model's positions
 * @property {Intervention[]} [interventions] changes to the model's attention, to feed-forward blocks and to layers; the
 *   translator was created with `interventions: true`
 * @property {'text'} [format] what the text is; 'html' takes the options of HtmlOptions
 */
/** @typedef {TranslateOptionsFields & CarryOptions} TranslateOptions */

/** @typedef {StreamOptions} FragmentOptions */
/**
 * Of `translate` where the text is HTML: its elements stay (docs/markup.md). `parser`: the module htmlparser2, where there is no
 * DOMParser, as in workers; in Node it is found where it is installed.
 * @typedef {FragmentOptions & {format: 'html', parser?: {Parser: any}}} HtmlOptions
 */

/**
 * @typedef {object} SearchOptionsFields
 * @property {AbortSignal | null} [signal] gives the call up, with its reason
 * @property {number} [beam] hypotheses to keep a step, from 1 to 64; left out: the translator's own number
 * @property {number} [nBest] hypotheses to return, from 1 to `beam`; left out: `beam`
 * @property {boolean} [tree] true: return the search's record too
 * @property {Prefix} [prefix] the beginning of every hypothesis
 * @property {number} [maxLength] as in TranslateOptions
 * @property {Intervention[]} [interventions] as in TranslateOptions
 * @property {boolean} [shortlist] as in TranslateOptions. With a shortlist, probabilities are normalised over its
 *   pieces, and so a little higher than those of `trace` and `score`
 */
/** @typedef {SearchOptionsFields & CarryOptions} SearchOptions */

/**
 * @typedef {object} TraceOptionsFields
 * @property {AbortSignal | null} [signal] gives the call up, with its reason
 * @property {number} [sentence] trace only the sentence of this number, from 0; left out: the whole text
 * @property {Prefix} [prefix] the beginning of the model's own translation
 * @property {number} [maxLength] as in TranslateOptions, of the model's own translation
 * @property {Intervention[]} [interventions] as in TranslateOptions
 * @property {boolean} [vectors] true: each attention has the queries, keys and values of its weights
 * @property {boolean} [shortlist] as in TranslateOptions, for the model's own translation; a trace's probabilities are
 *   always of the whole vocabulary
 */
/** @typedef {TraceOptionsFields & CarryOptions} TraceOptions */

/**
 * @typedef {{prefix?: Prefix, shortlist?: boolean, maxLength?: number, interventions?: Intervention[]} & CarryOptions} Choice the options of a search
 */

export {};
