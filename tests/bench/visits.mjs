// A visit: from the opening of a page to its first translation, on a slow phone: 10 Mbit/s, and a quarter of the processor for the
// page's own thread. Workers have all of it, since Chromium slows the page's thread alone. The first time nothing is cached; the
// second time the browser has what the first visit left.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { at } from '../../web/tools/common.mjs';
import { serve } from '../../web/tools/serve.mjs';
import { sourceIds } from './inputs.mjs';
import { architectures } from './models/architectures.mjs';
import { ensureFolder } from './models/folder.mjs';
import { folderOf } from './models/folder-names.mjs';
import { marianModel } from './models/marian.mjs';
import { translateOperations } from './models/operations.mjs';
import { textsOf } from './models/texts.mjs';
import { slowNetwork } from './slow-network.mjs';
import { summary } from './timing.mjs';
import { until, visitTwice } from './visit-twice.mjs';

const kSpeed = { latency: 50, bytesPerSecond: 10e6 / 8 };
const kSource = { model: 'tiny', precision: 'int8', length: 32, sentences: 1 };
const kWeights = 'model.enfr.intgemm.alphas.bin';
/** The files of both engines in Firefox's shape, and bergamot's names of their kinds. */
const kNames = { model: kWeights, vocab: 'vocab.enfr.spm', lex: 'lex.50.50.enfr.s2t.bin' };
const kOwn = {
  shape: { encoderLayers: 4, decoderLayers: 2, d: 256, ffn: 1024, heads: 8, vocabulary: 8000 },
  pieces: 10,
};

/** Writes the files that both engines read, and returns their paths. @returns {Record<string, string>} by kind */
function firefoxFiles() {
  const { model, precision } = kSource;
  ensureFolder(model, precision);
  const folder = `${folderOf(model, precision)}/firefox`;
  mkdirSync(at(folder), { recursive: true });
  const from = (name) => readFileSync(at(folderOf(model, precision), name));
  const contents = {
    model: marianModel(architectures[model], 'ssru'),
    vocab: from('source.spm'),
    lex: from('shortlist.bin'),
  };
  for (const [kind, content] of Object.entries(contents)) writeFileSync(at(folder, kNames[kind]), content);
  return Object.fromEntries(Object.entries(kNames).map(([kind, name]) => [kind, `/${folder}/${name}`]));
}

/** The pages that are visited, and what each is told. */
function visitors() {
  const { texts } = textsOf(kSource);
  const [text] = texts;
  const paths = firefoxFiles();
  const named = Object.fromEntries(Object.entries(paths).map(([kind, path]) => [kNames[kind], path]));
  const registry = {
    enfr: {
      ...Object.fromEntries(Object.entries(paths).map(([kind, name]) => [kind, { name }])),
      config: { 'max-length-factor': 1 },
    },
  };
  const own = Object.keys(JSON.parse(readFileSync(at('web', 'models', 'en-fr', 'manifest.json'), 'utf8')).files);
  const ownFiles = Object.fromEntries(own.map((name) => [name, `/web/models/en-fr/${name}`]));
  const options = { split: false, prefix: sourceIds(kSource.length) };
  const operations = translateOperations(architectures[kSource.model], kSource.length, 1000);
  const ownOperations = translateOperations(kOwn.shape, kOwn.pieces, kOwn.shape.vocabulary);
  const sentence = 'My brother lives in a big white house.';
  return [
    {
      engine: 'qkv, its own model',
      isPeer: false,
      page: 'qkv',
      told: { files: ownFiles, text: sentence },
      operations: ownOperations,
    },
    { engine: "qkv, Marian's file", isPeer: false, page: 'qkv', told: { files: named, text, options }, operations },
    { engine: 'bergamot ssru', isPeer: true, page: 'bergamot', told: { registry: registry, text }, operations },
  ];
}

/** The milliseconds until a page's translation is there. @param {import('./hosts/bare.mjs').BarePage} page */
async function translated(page) {
  const { translation, milliseconds } = await until(page, () => globalThis.visit);
  if (!translation) throw new Error('nothing was written');
  await until(page, () => globalThis.isKept());
  return milliseconds;
}

/**
 * @param {number} rounds
 * @param {(label: string) => boolean} isWanted "work, host, engine"
 * @returns {Promise<import('./measure.mjs').Row[]>}
 */
export async function measureVisits(rounds, isWanted) {
  const server = await serve(at(), { headers: { 'cache-control': 'max-age=3600' } });
  const network = await slowNetwork(Number(new URL(server.url).port), kSpeed);
  const pages = `http://localhost:${network.port}/tests/bench/visits`;
  const wanted = visitors().filter(({ engine }) =>
    ['visit cold', 'visit warm'].some((work) => isWanted(`${work}, chromium, ${engine}`)),
  );
  const samples = wanted.map(() => ({ cold: [], warm: [] }));
  // In turns, beginning with another one each time.
  for (let round = 0; round < rounds; ++round) {
    for (let i = 0; i < wanted.length; ++i) {
      const at = (i + round) % wanted.length;
      const { page, told } = wanted[at];
      const hash = encodeURIComponent(JSON.stringify(told));
      const { cold, warm } = await visitTwice(`${pages}/${page}.html#${hash}`, translated);
      samples[at].cold.push(cold);
      samples[at].warm.push(warm);
    }
  }
  await network.close();
  await server.close();
  return ['cold', 'warm'].flatMap((kind) =>
    wanted.map(({ engine, isPeer, operations }, i) => ({
      ...{ work: `visit ${kind}`, host: 'chromium', engine, isPeer, precision: 'int8', threads: 1, operations },
      ...summary(samples[i][kind]),
    })),
  );
}
