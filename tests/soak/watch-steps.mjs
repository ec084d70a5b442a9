// A loader hook for Node: web/lib/engine/guard.js unchanged, and after each step of a job a call of the function that
// `watch` got.

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('/web/lib/engine/guard.js')) return loaded;
  const source = `${loaded.source}
    let stepped = () => {};
    export const watch = (listener) => (stepped = listener);
    const guardAsItIs = guard;
    guard = (module) => {
      const guarded = guardAsItIs(module);
      return { ...guarded, jobStep: (job) => { const done = guarded.jobStep(job); stepped(); return done; } };
    };`;
  return { ...loaded, source };
}
