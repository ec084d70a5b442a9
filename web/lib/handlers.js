import { Engine } from './engine.js';
import { instantiateGuarded } from './guarded.js';

/**
 * An engine, as what may be called on it from outside.
 * @returns {Record<string, import('./channel.js').Handler>}
 */
export function createHandlers() {
  const engine = new Engine(instantiateGuarded);
  return {
    start: (args) => engine.start(args),
    load: (args, call) => engine.load(args, call),
    unload: (args) => engine.unload(args),
    translate: (args, call) => engine.translate(args, call),
    search: (args, call) => engine.search(args, call),
    trace: (args, call) => engine.trace(args, call),
    score: (args, call) => engine.score(args, call),
    memory: () => engine.memory(),
  };
}
