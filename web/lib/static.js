// Puts the engines' code into this script. Service workers and background scripts of extensions need it: they may not
// import anything while they run.
import { useCode } from './attention/engine.js';
import { instantiateGuarded } from './engine/guarded.js';
import { createHandlers } from './engine/handlers.js';
import { translationKind } from './engine/kinds.js';

translationKind.handlers = async () => createHandlers();
useCode(async () => ({ instantiateGuarded }));
