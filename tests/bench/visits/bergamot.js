// A page that translates one text with bergamot's package, as its documentation says, and says how long after its opening the
// translation is there.

import {
  LatencyOptimisedTranslator,
  TranslatorBacking,
} from '/tests/bench/node_modules/@browsermt/bergamot-translator/translator.js';

const { registry, text } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const registryUrl = URL.createObjectURL(new Blob([JSON.stringify(registry)], { type: 'application/json' }));
const options = { registryUrl, pivotLanguage: null, downloadTimeout: 0 };
const translator = new LatencyOptimisedTranslator(options, new TranslatorBacking(options));
const { target } = await translator.translate({ from: 'en', to: 'fr', text, html: false });
globalThis.visit = { translation: target.text, milliseconds: performance.now() };
/** Its files are kept by the browser alone, which has them by now. */
globalThis.isKept = async () => true;
