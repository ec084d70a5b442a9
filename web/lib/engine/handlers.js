import { loadModel } from './load.js';
import { Engine, handlersOf } from './engine.js';
import createModule from './glue.js';
import { instantiateGuarded } from './guarded.js';

/**
 * The methods of an engine that can be called from outside.
 * @returns {Record<string, import('../worker/protocol.js').Handler>}
 */
export const createHandlers = () =>
  handlersOf(new Engine((settings) => instantiateGuarded(createModule, settings), loadModel));
