// The size of an engine: bytes to download, and bytes of memory after it has translated.

import { at } from '../../web/tools/common.mjs';
import { brotlied, downloadsOf, gzipped } from '../../web/tools/downloads.mjs';
import { ensureFolder } from './models/folder.mjs';
import { workloads } from './workloads.mjs';

/** @typedef {{work: string, host: string, engine: string, bytes: number, wasm: number, javascript: number}} Footprint */

const kWork = 'translate text tiny int8 shortlist';
const rowOf = (engine) => ({ work: `memory ${kWork}`, host: 'chromium', engine });
const kRuns = 3;

/** In one thread, not in a worker, so that memory can be read. */
const kEngines = [
  ...['baseline', 'relaxed'].map((build) => ({
    ...{ name: `qkv ${build}`, engine: 'translator', options: { build, worker: false } },
  })),
  {
    ...{ name: "qkv relaxed, Marian's file", engine: 'translator', variant: 'ssru' },
    options: { build: 'relaxed', worker: false },
  },
  ...['ssru', 'self-attention'].map((variant) => ({
    ...{ name: `bergamot ${variant}`, engine: 'bergamot', options: {}, variant },
  })),
];

/**
 * The largest size of WebAssembly's memory, and JavaScript's memory after some translations. Each engine has its own
 * page.
 * @param {{open: Function}} chromium
 * @returns {Promise<Footprint[]>}
 */
export async function measureMemoryOfTranslation(chromium) {
  const work = workloads.find(({ name }) => name === kWork);
  ensureFolder(work.model, work.precision);
  const found = [];
  for (const contender of kEngines) {
    const session = await chromium.open(contender);
    for (let run = 0; run < kRuns; ++run) await session.sample(work, contender.variant);
    const { wasm, javascript } = await session.memory();
    found.push({ ...rowOf(contender.name), bytes: wasm + javascript, wasm, javascript });
    await session.close();
  }
  return found;
}

const kPeers = 'tests/bench/node_modules';
const kDownloads = {
  bergamot: {
    folder: `${kPeers}/@browsermt/bergamot-translator/worker`,
    files: ['translator-worker.js', 'bergamot-translator-worker.js', 'bergamot-translator-worker.wasm'],
  },
  'onnxruntime-web': {
    folder: `${kPeers}/onnxruntime-web/dist`,
    files: ['ort.wasm.min.mjs', 'ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm'],
  },
  tfjs: {
    folder: `${kPeers}/@tensorflow`,
    files: [
      ...['core', 'backend-cpu', 'backend-wasm'].map((name) => `tfjs-${name}/dist/tf-${name}.min.js`),
      'tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm',
    ],
  },
};

/** How a server may send the files. */
const kEncodings = { download: gzipped, 'brotli download': brotlied };

/**
 * Wasm and JavaScript of each engine, gzipped and in Brotli, without models.
 * @param {{package: string}} builds
 * @returns {Footprint[]}
 */
export function measureDownloads(builds) {
  const all = {
    qkv: { folder: builds.package, files: downloadsOf(at(...builds.package.split('/')), ['translating']) },
    ...kDownloads,
  };
  return Object.entries(kEncodings).flatMap(([work, sizeOf]) =>
    Object.entries(all).map(([engine, { folder, files }]) => {
      const sum = (isWanted) =>
        files.filter(isWanted).reduce((total, file) => total + sizeOf(at(...folder.split('/')), file), 0);
      const wasm = sum((file) => file.endsWith('.wasm'));
      const javascript = sum((file) => !file.endsWith('.wasm'));
      return { work, host: 'chromium', engine, bytes: wasm + javascript, wasm, javascript };
    }),
  );
}

const kTitles = {
  memory: 'Memory of translating, tiny, in Chromium',
  download: 'Download, gzipped',
  brotli: 'Download, in Brotli',
};

/** Markdown. @param {Footprint[]} rows */
export function footprintTables(rows) {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(2);
  const cells = ({ engine, bytes, wasm, javascript }) => [engine, ...[bytes, wasm, javascript].map(megabytes)];
  const table = ([kind, title]) => {
    const lines = rows.filter(({ work }) => work.startsWith(kind)).map((row) => `| ${cells(row).join(' | ')} |`);
    const header = ['| engine | all | WebAssembly | JavaScript |', '| --- | --- | --- | --- |'];
    return lines.length === 0 ? '' : [`### ${title}, MB`, '', ...header, ...lines, ''].join('\n');
  };
  return Object.entries(kTitles).map(table).join('\n');
}
