// Which engine is measured on which work, and where. Another engine, or another kind of work for an existing one, is
// one line.

import { attentionGraphs } from './onnx/attention.mjs';
import { encoderGraphs } from './onnx/encoder.mjs';
import { architectures } from './models/architectures.mjs';

/** @typedef {import('./workloads.mjs').Work} Work */

/**
 * @typedef {object} Contender
 * @property {'node' | 'chromium' | 'native'} host whose table it stands in
 * @property {'node' | 'chromium' | 'native'} runsIn
 * @property {string} name for people
 * @property {boolean} isPeer
 * @property {string} engine a file of engines/
 * @property {object} options for the engine's open(); `threads`, where the engine has them
 * @property {string[]} [flags] of V8's
 * @property {string} [variant] of what the engine prepares; contenders that differ in it alone share a process
 * @property {(work: Work) => boolean} takes
 */

const kBuilds = ['baseline', 'relaxed'];
// Node 20 has relaxed SIMD behind a flag. Its fast compiler computes the dot product wrongly where registers are
// scarce.
export const relaxedFlags = ['--experimental-wasm-relaxed-simd', '--no-liftoff'];
const flagsFor = (host, build) => (host === 'node' && build === 'relaxed' ? relaxedFlags : []);

const isOneOf =
  (...kinds) =>
  (work) =>
    kinds.includes(work.kind);
const isAttention = isOneOf('attention');
const isPlainAttention = (work) => isAttention(work) && work.score === 'scaled-dot';
const isText = isOneOf('translate-text', 'translate-sentence');
const isTextOfAnyStart = isOneOf('translate-text', 'translate-first', 'translate-cold', 'translate-arriving');
const isGenerate = (work) => work.kind === 'generate' && !work.text;
const isDrafted = (work) => work.kind === 'generate' && Boolean(work.text);
const isOfBrought = (work) => work.kind === 'encode' || isGenerate(work);
const isSeveral = (work) => work.kind === 'encode' && work.lengths.length > 1;
// The peers' graphs are Transformers. No other engine here runs a recurrent model with attention.
const isTransformersIds = (work) => work.kind === 'translate-ids' && !('recurrent' in architectures[work.model]);
const isProductOfFloats = (work) => work.kind === 'product' && work.precision === 'f32';
// The core's products and ids have no JavaScript API, so they are measured natively only.
const isTraining = isOneOf('train');
const isOfCore = isOneOf('limit', 'product', 'window', 'encoder', 'interventions', 'translate-ids');

/** With drafts from repetitions, and one piece at a time. @param {Omit<Contender, 'takes'>} shared @returns {Contender[]} */
const drafting = (shared) =>
  ['drafts', 'one by one'].map((variant) => ({
    ...shared,
    name: `${shared.name}, ${variant}`,
    variant,
    takes: isDrafted,
  }));

/** @param {'node' | 'chromium'} host @returns {Contender[]} */
const ours = (host) =>
  kBuilds.flatMap((build) => {
    const shared = { host, runsIn: host, isPeer: false, options: { build }, flags: flagsFor(host, build) };
    return [
      { ...shared, name: `qkv ${build}`, engine: 'qkv', takes: isAttention },
      { ...shared, name: `qkv ${build}`, engine: 'translator', takes: isText },
      // Marian's own file, which bergamot reads.
      {
        ...shared,
        name: `qkv ${build}, Marian's file`,
        engine: 'translator',
        variant: 'ssru',
        takes: isTextOfAnyStart,
      },
      { ...shared, name: `qkv ${build}`, engine: 'brought', takes: isOfBrought },
      ...drafting({ ...shared, name: `qkv ${build}`, engine: 'brought' }),
      { ...shared, name: `qkv ${build}`, engine: 'explain', takes: isOneOf('explain') },
      // There is one build that trains.
      ...(build === 'baseline' ? [{ ...shared, name: 'qkv', engine: 'trainer', takes: isTraining }] : []),
      { ...shared, name: `qkv ${build}, core alone`, engine: 'kernels', takes: isAttention },
      { ...shared, name: `qkv ${build}`, engine: 'kernels', takes: isOfCore },
    ];
  });

// The package uses threads in pages that are cross-origin isolated, as the benchmark's pages are.
const kThreads = 2;

/** @type {Contender[]} */
const oursWithThreads = [
  { engine: 'translator', takes: isText },
  { engine: 'brought', takes: isOfBrought },
].map((one) => ({
  ...{ host: 'chromium', runsIn: 'chromium', isPeer: false, name: `qkv, ${kThreads} threads` },
  ...{ ...one, options: { threads: kThreads } },
}));

/**
 * onnxruntime's graphs for the work. @param {'node'
 * 'chromium'
 * 'native'} host @param {'web'
 * 'node'} runtime
 */
function onnxruntime(host, runtime) {
  const runsIn = host === 'native' ? 'node' : host;
  const name = `onnxruntime-${runtime}`;
  const shared = { host, runsIn, isPeer: true, engine: 'onnxruntime', options: { runtime, threads: 1 } };
  const graph = (takes) => (variant) => ({ ...shared, name: `${name} ${variant}`, variant, takes });
  return [
    ...attentionGraphs.map(graph(isPlainAttention)),
    ...encoderGraphs.map(graph(isOneOf('encoder'))),
    { ...shared, name, takes: (work) => work.kind === 'product' || isTransformersIds(work) },
    ...(runtime === 'web' ? ofBrought(shared, name) : []),
  ];
}

/** The native command and its peer, from a file of lines to their translations. @param {number} threads @returns {Contender[]} */
function translatingLines(threads) {
  const shared = { host: 'native', runsIn: 'node', takes: isOneOf('translate-lines') };
  const named = (name) => (threads === 1 ? name : `${name}, ${threads} threads`);
  return [
    { ...shared, name: named('qkv translate'), isPeer: false, engine: 'command', options: { threads } },
    {
      ...{ ...shared, name: named('onnxruntime-node'), isPeer: true, engine: 'onnxruntime' },
      options: { runtime: 'node', threads },
    },
  ];
}

/** Models that people bring, as transformers.js has them computed: several texts at once are one batch. */
const ofBrought = (shared, name) => [
  { ...shared, name, takes: isGenerate },
  { ...shared, name, variant: 'one by one', takes: (work) => work.kind === 'encode' && !isSeveral(work) },
  ...['one batch', 'one by one'].map((variant) => ({
    ...shared,
    name: `${name} ${variant}`,
    variant,
    takes: isSeveral,
  })),
];

/** @param {'node' | 'chromium'} host @returns {Contender[]} */
const otherPeers = (host) => [
  ...['ssru', 'self-attention'].map((variant) => ({
    ...{ host, runsIn: host, name: `bergamot ${variant}`, isPeer: true, variant },
    ...{ engine: 'bergamot', options: {}, takes: (work) => isText(work) || isTextOfAnyStart(work) },
  })),
  {
    ...{ host, runsIn: host, name: 'tfjs', isPeer: true, engine: 'tfjs', options: {} },
    takes: (work) => isPlainAttention(work) || isProductOfFloats(work) || isTraining(work),
  },
];

/** @type {Contender[]} */
export const contenders = [
  ...['node', 'chromium'].flatMap((host) => [...ours(host), ...onnxruntime(host, 'web'), ...otherPeers(host)]),
  {
    ...{ host: 'native', runsIn: 'native', name: 'qkv', isPeer: false, engine: 'kernels', options: {} },
    takes: (work) => isAttention(work) || isOfCore(work),
  },
  ...drafting({ host: 'native', runsIn: 'native', name: 'qkv', isPeer: false, engine: 'kernels', options: {} }),
  ...onnxruntime('native', 'node'),
  ...[1, kThreads].flatMap(translatingLines),
  ...oursWithThreads,
  {
    ...{ host: 'chromium', runsIn: 'chromium', isPeer: true, name: `onnxruntime-web, ${kThreads} threads` },
    ...{ engine: 'onnxruntime', options: { runtime: 'web', threads: kThreads }, takes: isTransformersIds },
  },
  ...ofBrought(
    {
      ...{ host: 'chromium', runsIn: 'chromium', isPeer: true, engine: 'onnxruntime' },
      options: { runtime: 'web', threads: kThreads },
    },
    `onnxruntime-web, ${kThreads} threads`,
  ),
  ...[1, kThreads].map((threads) => ({
    ...{ host: 'chromium', runsIn: 'chromium', isPeer: true, engine: 'wllama', options: { threads } },
    ...{ name: threads === 1 ? 'wllama' : `wllama, ${threads} threads`, takes: isGenerate },
  })),
];
