// The library's one door. Importing it does nothing: no fetch, no worker, no window.

export { QkvError } from './errors.js';
export { splitSentences } from './sentences.js';
export { Translator } from './translator.js';
export { version } from './version.js';

/** @typedef {import('./errors.js').QkvErrorCode} QkvErrorCode */
/** @typedef {import('./info.js').ModelInfo} ModelInfo */
/** @typedef {import('./translator.js').ModelOption} ModelOption */
/** @typedef {import('./monitor.js').CreateMonitor} CreateMonitor */
/** @typedef {import('./monitor.js').DownloadProgressEvent} DownloadProgressEvent */
/** @typedef {import('./engine.js').TranslatedPart} TranslatedPart */
/** @typedef {import('./search.js').Hypothesis} Hypothesis */
/** @typedef {import('./search.js').Search} Search */
/** @typedef {import('./search.js').SearchTree} SearchTree */
/** @typedef {import('./sentences.js').Part} Part */
/** @typedef {import('./trace.js').Alignment} Alignment */
/** @typedef {import('./trace.js').Alternatives} Alternatives */
/** @typedef {import('./trace.js').AttentionMap} AttentionMap */
/** @typedef {import('./trace.js').Side} Side */
/** @typedef {import('./trace.js').TargetSide} TargetSide */
/** @typedef {import('./trace.js').Trace} Trace */
/** @typedef {import('./translator.js').CreateOptions} CreateOptions */
/** @typedef {import('./translator.js').Prefix} Prefix */
/** @typedef {import('./translator.js').Score} Score */
/** @typedef {import('./translator.js').SearchOptions} SearchOptions */
/** @typedef {import('./translator.js').SentencePair} SentencePair */
/** @typedef {import('./translator.js').StreamOptions} StreamOptions */
/** @typedef {import('./translator.js').TraceOptions} TraceOptions */
/** @typedef {import('./translator.js').TranslateOptions} TranslateOptions */
/** @typedef {import('./info.js').TranslatorInfo} TranslatorInfo */
