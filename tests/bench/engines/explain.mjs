// qkv's answers about a translation, by `qkv/explain` as a user has it; in a page from the translator's worker.

/**
 * @param {import('./session.mjs').Host} host
 * @param {{build?: 'baseline' | 'relaxed'}} options
 */
export async function open(host, { build }) {
  const { Translator } = await import(host.url(`${host.builds.package}/index.js`));
  const { headImportance } = await import(host.url(`${host.builds.package}/explain.js`));

  /** @param {import('../workloads.mjs').Explain} work */
  async function prepare({ folder, source, target, length }) {
    const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
    const given = { model: host.url(`${folder}/`), interventions: true, wasm: build };
    const translator = await Translator.create({ ...languages, ...given });
    const run = () => headImportance(translator, { source, target });
    const found = await run();
    if (found.source.pieces.length !== length) throw new Error(`${found.source.pieces.length} pieces, not ${length}`);
    const output = async () =>
      Float32Array.from([found.encoder, found.decoder, found.cross].flatMap(({ data }) => [...data]));
    return { run, output, release: () => translator.destroy() };
  }
  return { prepare };
}
