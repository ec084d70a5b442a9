// Who is measured on which work, and where. Another engine, or another kind of work for one that is here, is a line.

import { attentionGraphs } from './onnx/attention.mjs';

/** @typedef {import('./workloads.mjs').Work} Work */

/**
 * @typedef {object} Seat
 * @property {'node' | 'chromium' | 'native'} host whose table it stands in
 * @property {'node' | 'chromium' | 'native'} runsIn
 * @property {string} name for people
 * @property {boolean} isPeer
 * @property {string} engine a file of engines/
 * @property {object} options for the engine's open()
 * @property {string[]} [flags] of V8's
 * @property {string} [variant] of what the engine prepares; seats that differ in it alone share a process
 * @property {(work: Work) => boolean} takes
 */

const kBuilds = ['baseline', 'relaxed'];
// Node 20 has relaxed SIMD behind a flag.
const flagsFor = (build) => (build === 'relaxed' ? ['--experimental-wasm-relaxed-simd'] : []);

const isAttention = (work) => work.kind === 'attention';
const isPlainAttention = (work) => isAttention(work) && work.score === 'scaled-dot';

/** @param {'node' | 'chromium'} host @returns {Seat[]} */
const inWebAssembly = (host) => [
  ...kBuilds.map((build) => ({
    ...{ host, runsIn: host, name: `qkv ${build}`, isPeer: false, engine: 'qkv', options: { build } },
    ...{ flags: host === 'node' ? flagsFor(build) : [], takes: isAttention },
  })),
  ...kBuilds.map((build) => ({
    ...{ host, runsIn: host, name: `qkv ${build}, core alone`, isPeer: false, engine: 'kernels', options: { build } },
    ...{ flags: host === 'node' ? flagsFor(build) : [], takes: () => true },
  })),
  ...attentionGraphs.map((variant) => ({
    ...{ host, runsIn: host, name: `onnxruntime-web ${variant}`, isPeer: true, variant },
    ...{ engine: 'onnxruntime', options: { runtime: 'web' }, takes: isPlainAttention },
  })),
  { host, runsIn: host, name: 'tfjs', isPeer: true, engine: 'tfjs', options: {}, takes: isPlainAttention },
];

/** @type {Seat[]} */
export const seats = [
  ...inWebAssembly('node'),
  ...inWebAssembly('chromium'),
  {
    ...{ host: 'native', runsIn: 'native', name: 'qkv', isPeer: false, engine: 'kernels', options: {} },
    takes: () => true,
  },
  ...attentionGraphs.map((variant) => ({
    ...{ host: 'native', runsIn: 'node', name: `onnxruntime-node ${variant}`, isPeer: true, variant },
    ...{ engine: 'onnxruntime', options: { runtime: 'node' }, takes: isPlainAttention },
  })),
];
