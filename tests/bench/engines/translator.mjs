// qkv's Translator from the package, as a user has it: text in, text out, in a page from its worker.

import { folderFiles, folderOf } from '../models/folder-names.mjs';
import { generationConfig } from '../models/marian-mt.mjs';
import { textsOf } from '../models/texts.mjs';

/**
 * @param {import('./desk.mjs').Host} host
 * @param {{build: 'baseline' | 'relaxed', worker?: boolean}} options worker: left out, the package's own choice
 */
export async function open(host, { build, worker }) {
  const { Translator } = await import(host.url(`${host.builds.package}/index.js`));

  /** @param {import('../workloads.mjs').Translate} work */
  async function prepare(work) {
    const { texts, words } = textsOf(work);
    const text = texts.join(' ');
    const translator = await Translator.create({
      ...{ sourceLanguage: 'en', targetLanguage: 'fr', wasm: build, worker },
      model: { files: filesOf(host, work) },
    });
    // Its sentences are found and each has as many pieces as it is to have, or other work is measured.
    const parts = (await translator.translateParts(text)).filter(({ sentence }) => sentence);
    if (parts.length !== work.sentences) throw new Error(`${parts.length} sentences instead of ${work.sentences}`);
    const { pieces } = (await translator.search(texts[0])).hypotheses[0];
    if (pieces.length !== work.length) throw new Error(`${pieces.length} pieces instead of ${work.length}`);
    return { run: () => translator.translate(text), words, release: () => translator.destroy() };
  }
  return { prepare };
}

/** @param {import('./desk.mjs').Host} host @param {import('../workloads.mjs').Translate} work */
function filesOf(host, work) {
  const folder = folderOf(work.model, work.precision);
  const wanted = folderFiles.filter((name) => work.shortlist || name !== 'shortlist.bin');
  const longest = new TextEncoder().encode(JSON.stringify(generationConfig(work.length)));
  return {
    ...Object.fromEntries(wanted.map((name) => [name, host.url(`${folder}/${name}`)])),
    'generation_config.json': longest,
  };
}
