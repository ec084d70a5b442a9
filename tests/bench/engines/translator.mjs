// qkv's Translator from the package, as users call it: text in, text out; in a page it runs in its worker.

import { timeArrivals } from '../arrivals-timing.mjs';
import { sourceIds } from '../inputs.mjs';
import { architectures } from '../models/architectures.mjs';
import { folderFiles, folderOf } from '../models/folder-names.mjs';
import { generationConfig } from '../models/marian-mt.mjs';
import { marianModel } from '../models/marian.mjs';
import { textsOf } from '../models/texts.mjs';

const kWeights = 'model.enfr.intgemm.alphas.bin';

/**
 * @param {import('./session.mjs').Host} host
 * @param {{build?: 'baseline' | 'relaxed', threads?: number, worker?: boolean}} options left out: the package's own choice
 */
export async function open(host, { build, threads, worker }) {
  const { Translator } = await import(host.url(`${host.builds.package}/index.js`));

  /**
   * @param {import('../workloads.mjs').Translate} work
   * @param {'ssru' | 'self-attention'} [decoder] of Marian's own file; left out: a folder in MarianMT's layout
   */
  async function prepare(work, decoder) {
    const { texts, words } = textsOf(work);
    const text = texts.join(' ');
    const { longest, options } = lengthOf(work, decoder);
    const files = decoder ? await marianFilesOf(host, work, decoder) : filesOf(host, work, longest);
    const create = async (more = {}) => {
      const choices = { sourceLanguage: 'en', targetLanguage: 'fr', wasm: build, threads, worker };
      return Translator.create({ ...choices, store: false, model: { files: { ...files, ...more } } });
    };
    const translator = await create();
    if (threads && translator.info.threads !== threads) throw new Error(`${translator.info.threads} threads compute`);
    // Each sentence is found, and has as many pieces as intended; otherwise other work would be measured.
    const parts = (await translator.translateParts(text, options)).filter(({ sentence }) => sentence);
    if (parts.length !== work.sentences) throw new Error(`${parts.length} sentences instead of ${work.sentences}`);
    const { split: _, ...choice } = options; // a search takes one sentence
    const { pieces } = (await translator.search(texts[0], choice)).hypotheses[0];
    if (pieces.length !== work.length) throw new Error(`${pieces.length} pieces instead of ${work.length}`);
    const release = () => translator.destroy();
    if (work.kind === 'translate-text') return { run: () => translator.translate(text, options), words, release };
    // The first sentence is there before the others are translated.
    const firstSentence = async () => {
      const reader = translator.translateStreaming(text, { maxLength: work.length }).getReader();
      await reader.read();
      await reader.cancel();
    };
    if (work.kind === 'translate-sentence') return { run: firstSentence, release };
    const run = async (more) => {
      const first = await create(more);
      await first.translate(text, options);
      first.destroy();
    };
    if (work.kind === 'translate-arriving') {
      release();
      const arriving = (url) => run({ [kWeights]: url });
      const timed = () => timeArrivals(host.builds.arrivals, work.model, decoder, arriving);
      return { sample: async () => ({ milliseconds: await timed(), words }) };
    }
    if (work.kind === 'translate-first') return { run: () => run(), words, release }; // the translator above keeps the engine alive
    release();
    return { run: () => run(), words };
  }
  return { prepare };
}

/**
 * How every translation gets the length of its source. For one sentence the folder's maximum length does it. Marian's
 * file has no such field, and a random model that repeats itself is stopped early. For many sentences that length would
 * cut the sources too. There each translation is forced to given pieces; the logits of all other pieces are still
 * computed.
 * @param {import('../workloads.mjs').Translate} work
 * @param {string} [decoder] of Marian's file
 */
function lengthOf({ sentences, length }, decoder) {
  if (sentences === 1 && !decoder) return { longest: length, options: { split: false, copy: false } };
  return { longest: undefined, options: { split: sentences > 1, prefix: sourceIds(length) } };
}

/**
 * @param {import('./session.mjs').Host} host
 * @param {import('../workloads.mjs').Translate} work
 * @param {number} [longest] pieces of a translation
 */
function filesOf(host, work, longest) {
  const folder = folderOf(work.model, work.precision);
  const wanted = folderFiles.filter((name) => work.shortlist || name !== 'shortlist.bin');
  const json = new TextEncoder().encode(JSON.stringify(generationConfig(longest)));
  return {
    ...Object.fromEntries(wanted.map((name) => [name, host.url(`${folder}/${name}`)])),
    'generation_config.json': json,
  };
}

/**
 * The bytes that bergamot gets, and those of the shortlist.
 * @param {import('./session.mjs').Host} host
 * @param {import('../workloads.mjs').Translate} work
 * @param {'ssru' | 'self-attention'} decoder
 */
async function marianFilesOf(host, work, decoder) {
  const folder = folderOf(work.model, work.precision);
  return {
    [kWeights]: marianModel(architectures[work.model], decoder),
    'vocab.enfr.spm': await host.bytes(`${folder}/source.spm`),
    ...(work.shortlist && { 'lex.50.50.enfr.s2t.bin': await host.bytes(`${folder}/shortlist.bin`) }),
  };
}
