import { Engine, handlersOf } from './engine.js';
import { instantiateGuarded } from './guarded.js';

/**
 * An engine, as what may be called on it from outside.
 * @returns {Record<string, import('../worker/protocol.js').Handler>}
 */
export const createHandlers = () => handlersOf(new Engine(instantiateGuarded));
