// Code that few translators need: archives, lists of models, two models as one. It is one chunk, which the first of these
// translators fetches.
import { decoders, holdsMarian, unpack } from '../loading/archives.js';
import { isOpus } from '../loading/opus-files.js';
import { registry } from '../registry/registry.js';
import { routeOf, startSeveral, stateOfSeveral } from './pivot.js';

export const more = { decoders, holdsMarian, isOpus, unpack, registry, routeOf, startSeveral, stateOfSeveral };
