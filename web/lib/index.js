// The main module of the package. An import does nothing: it fetches nothing, starts no worker and needs no window.

export { QkvError } from './base/errors.js';
export { splitSentences } from './text/sentences.js';
export { languagePairs } from './api/package-models.js';
export { models } from './api/models.js';
export { Translator } from './api/translator.js';
export { version } from './base/version.js';
export { registry } from './api/registry.js';

/** @typedef {import('./base/errors.js').QkvErrorCode} QkvErrorCode */
/** @typedef {import('./engine/info.js').ModelInfo} ModelInfo */
/** @typedef {import('./api/translator.js').ModelOption} ModelOption */
/** @typedef {import('./api/monitor.js').CreateMonitor} CreateMonitor */
/** @typedef {import('./api/monitor.js').DownloadProgressEvent} DownloadProgressEvent */
/** @typedef {import('./engine/engine.js').TranslatedPart} TranslatedPart */
/** @typedef {import('./store/stored-models.js').KeptModel} KeptModel */
/** @typedef {import('./loading/model-source.js').ModelStore} ModelStore */
/** @typedef {import('./api/search.js').Hypothesis} Hypothesis */
/** @typedef {import('./api/search.js').Search} Search */
/** @typedef {import('./api/search.js').SearchTree} SearchTree */
/** @typedef {import('./text/sentences.js').Part} Part */
/** @typedef {import('./api/interventions.js').Intervention} Intervention */
/** @typedef {import('./api/trace.js').Alignment} Alignment */
/** @typedef {import('./api/trace.js').Alternatives} Alternatives */
/** @typedef {import('./api/trace.js').AttentionMap} AttentionMap */
/** @typedef {import('./api/trace.js').Side} Side */
/** @typedef {import('./api/trace.js').TargetSide} TargetSide */
/** @typedef {import('./api/trace.js').Trace} Trace */
/** @typedef {import('./api/translator.js').CreateOptions} CreateOptions */
/** @typedef {import('./api/translator.js').FragmentOptions} FragmentOptions */
/** @typedef {import('./api/translator.js').HtmlOptions} HtmlOptions */
/** @typedef {import('./api/translator.js').Prefix} Prefix */
/** @typedef {import('./api/translator.js').Score} Score */
/** @typedef {import('./api/translator.js').SearchOptions} SearchOptions */
/** @typedef {import('./api/translator.js').SentencePair} SentencePair */
/** @typedef {import('./api/translator.js').StreamOptions} StreamOptions */
/** @typedef {import('./api/translator.js').TraceOptions} TraceOptions */
/** @typedef {import('./api/translator.js').TranslateOptions} TranslateOptions */
/** @typedef {import('./engine/info.js').TranslatorInfo} TranslatorInfo */
