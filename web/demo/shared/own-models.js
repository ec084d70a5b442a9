// The models from English that qkv publishes, by target language.
import enDe from '../../models/en-de/index.js';
import enEs from '../../models/en-es/index.js';
import enFr from '../../models/en-fr/index.js';

/** @type {Record<string, import('../../lib/api/package-models.js').ModelPackage>} */
export const ownModels = { fr: enFr, de: enDe, es: enEs };
