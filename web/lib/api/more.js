// Code that few translators need, in one chunk that is fetched for the first of them: archives, lists of models, two
// models as one.
export { decoders, holdsMarian, unpack } from '../loading/archives.js';
export { registry } from '../registry/registry.js';
export { startSeveral, stateOfSeveral } from './pivot.js';
