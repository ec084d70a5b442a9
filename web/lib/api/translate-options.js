// What a Translator's calls may be given.

/** @typedef {import('../text/keep.js').CarryOptions} CarryOptions */

/** @typedef {import('../text/languages.js').LanguagePair} LanguagePair */

/** @typedef {import('../loading/model-source.js').ModelOption} ModelOption */

/**
 * @typedef {object} CreateOptions
 * @property {string} sourceLanguage a BCP 47 tag, such as 'en'; sentences are found by its rules
 * @property {string} targetLanguage a BCP 47 tag, such as 'fr'
 * @property {ModelOption | ModelOption[]} [model] what a package such as qkv-en-fr exports: `import enFr from 'qkv-en-fr'`. Left out: the
 *   one that is found, in Node in such a package where it is installed, and with `baseUrl` in its folder `en-fr/`. Else a
 *   model folder in MarianMT's layout (config.json, vocab.json, source.spm, model.safetensors; target.spm,
 *   target_vocab.json, generation_config.json and shortlist.bin where it has them) or with Marian's own files: its URL (in
 *   Node also a path), the URL of its manifest.json, which lists its files, the files a person chose with
 *   `<input type="file" webkitdirectory>`, or `{files: {name: Blob | ArrayBuffer | Uint8Array | URL}}`, or a zip of
 *   them: its bytes, or a URL that ends in .zip
 *   A list of two of these translates by the first into `pivotLanguage`, and by the second from there
 * @property {string | URL | object} [registry] in the place of `model`: a list of models, by the URL of a file like Mozilla's
 *   models.json, by what it holds, or as `registry()` gives it. The model for the pair is downloaded and checked against its
 *   hashes; where the list has none, two that lead through English
 * @property {string} [pivotLanguage] of two models the language between them; left out: 'en'
 * @property {(monitor: import('./monitor.js').CreateMonitor) => void} [monitor] is given an EventTarget with 'downloadprogress' events
 * @property {AbortSignal} [signal] gives the creation up
 * @property {boolean} [worker] whether the engine runs in a worker of its own; left out: in browsers yes, in Node no.
 *   Without one it runs in this thread, a few milliseconds at a time
 * @property {'baseline' | 'relaxed' | (string & {}) | URL | ArrayBuffer | WebAssembly.Module} [wasm] left out: the faster of the
 *   package's two builds that runs here. Else one of them by name, or a build by URL, bytes or module
 * @property {string | URL} [baseUrl] a folder with the files of qkv's `assets`, and perhaps of models; left out: beside the
 *   package's scripts, where bundlers put them
 * @property {number} [threads] how many threads compute, from 1 to 16; left out: one. More need a page that is
 *   cross-origin isolated and has relaxed SIMD, an engine in a worker, and `wasm` left out; elsewhere, Node among it,
 *   there is one all the same: `info.threads` says. Translations are the same
 * @property {number} [workers] how many workers share a text of more than 32 sentences, from 1 to 16; left out: one. The
 *   others start with the first such text, each with a copy of the model, which is downloaded once; no page needs to be
 *   isolated for it
 * @property {number} [beam] hypotheses that the search keeps: 1 is greedy, the fastest; left out: the model's own number
 */

/** @typedef {{signal?: AbortSignal | null}} CallOptions `signal` gives the call up, with its reason */

/**
 * @typedef {object} StreamOptionsFields
 * @property {AbortSignal | null} [signal] gives the call up, with its reason
 * @property {boolean} [shortlist] as in TranslateOptions
 * @property {number} [maxLength] as in TranslateOptions
 */
/** @typedef {StreamOptionsFields & CarryOptions} StreamOptions */

/**
 * What a translation is to begin with: a text, or the ids of pieces, as a trace and a search give them, which are kept
 * as they are. Ids that end with that of '</s>' are the whole translation.
 * @typedef {string | ArrayLike<number>} Prefix
 */

/**
 * @typedef {object} TranslateOptionsFields
 * @property {AbortSignal | null} [signal] gives the call up, with its reason
 * @property {boolean} [split] false: the text is one sentence, whatever it looks like; left out: true, unless there is a
 *   prefix
 * @property {Prefix} [prefix] what the translation is to begin with; the text then counts as one sentence
 * @property {boolean} [shortlist] false: each piece may be any of the vocabulary, though the model has a shortlist
 *   (`info.shortlist`); left out: one of those that the shortlist finds likely, which is faster
 * @property {number} [maxLength] the most pieces to write for a sentence, from 1; left out: three times its own and 50 more.
 *   Never more than the model has positions
 */
/** @typedef {TranslateOptionsFields & CarryOptions} TranslateOptions */

/**
 * @typedef {object} SearchOptionsFields
 * @property {AbortSignal | null} [signal] gives the call up, with its reason
 * @property {number} [beam] hypotheses to keep a step, from 1 to 64; left out: the translator's own number
 * @property {number} [nBest] hypotheses to return, from 1 to `beam`; left out: `beam`
 * @property {boolean} [tree] true: return the search's record too
 * @property {Prefix} [prefix] what every hypothesis is to begin with
 * @property {number} [maxLength] as in TranslateOptions
 * @property {boolean} [shortlist] as in TranslateOptions. With a shortlist, probabilities are those of a choice among its
 *   pieces alone, and so a little higher than the trace's and those of `score`
 */
/** @typedef {SearchOptionsFields & CarryOptions} SearchOptions */

/**
 * @typedef {object} TraceOptionsFields
 * @property {AbortSignal | null} [signal] gives the call up, with its reason
 * @property {number} [sentence] trace only the sentence of this number, from 0; left out: the text whole
 * @property {Prefix} [prefix] what the model's own translation is to begin with
 * @property {number} [maxLength] as in TranslateOptions, of the model's own translation
 * @property {boolean} [vectors] true: each attention comes with the queries, keys and values behind its weights
 * @property {boolean} [shortlist] as in TranslateOptions, for the model's own translation; a trace's probabilities are
 *   always of the whole vocabulary
 */
/** @typedef {TraceOptionsFields & CarryOptions} TraceOptions */

/** @typedef {{prefix?: Prefix, shortlist?: boolean, maxLength?: number} & CarryOptions} Choice how a translation is searched for */

export {};
