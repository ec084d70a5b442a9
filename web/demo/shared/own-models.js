// The models that qkv publishes, by their pairs of languages.
import deEn from '../../models/de-en/index.js';
import enDe from '../../models/en-de/index.js';
import enEs from '../../models/en-es/index.js';
import enFr from '../../models/en-fr/index.js';
import esEn from '../../models/es-en/index.js';
import frEn from '../../models/fr-en/index.js';

/** @type {Record<string, import('../../lib/api/package-models.js').ModelPackage>} */
export const ownModels = {
  'en-fr': enFr,
  'en-de': enDe,
  'en-es': enEs,
  'fr-en': frEn,
  'de-en': deEn,
  'es-en': esEn,
};
