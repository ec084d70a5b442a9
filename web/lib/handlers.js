/** @typedef {import('./engine.js').Engine} Engine */

/**
 * What may be called on an engine from outside.
 * @param {Engine} engine
 * @returns {Record<string, import('./channel.js').Handler>}
 */
export const handlersOf = (engine) => ({
  start: (args) => engine.start(args),
  load: (args, call) => engine.load(args, call),
  unload: (args) => engine.unload(args),
  translate: (args, call) => engine.translate(args, call),
  trace: (args, call) => engine.trace(args, call),
  score: (args, call) => engine.score(args, call),
  memory: () => engine.memory(),
});
