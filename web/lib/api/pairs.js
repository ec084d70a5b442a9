// The pairs of languages that there are packages for. Written by web/tools/model-packages.mjs.
export const packagePairs = ['en-fr', 'en-de', 'en-es', 'fr-en', 'de-en', 'es-en'];
