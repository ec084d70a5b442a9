// How tests/bench/main.cc is told what to measure, and how its output is read.

import { broughtFolder, folderOf } from './models/folder-names.mjs';

const kLimits = {
  'limit peak': 'Peak',
  'limit product': 'MatMul 512 x 512 x 512',
  'limit peak int8': 'Int8 peak',
};

/** @param {import('./workloads.mjs').Work} work @param {string} [variant] */
function nameOf(work, variant) {
  switch (work.kind) {
    case 'limit':
      return kLimits[work.name];
    case 'attention':
      return `${work.score} ${work.length}${work.causal ? ' causal' : ''}, ${work.heads} heads of ${work.dim}`;
    case 'product':
      return `${work.precision === 'f32' ? 'MatMul' : 'Int8'} ${work.rows} x ${work.inputs} x ${work.outputs}`;
    case 'window':
      return `window ${work.width}, ${work.sinks} sinks, ${work.length}`;
    case 'encoder':
    case 'interventions':
      return `${work.kind} ${work.length}`;
    case 'generate':
      return `generate ${work.text}, ${variant}`;
    default:
      return `translate ${work.length}, ${work.outputs} outputs`;
  }
}

/** The model folder that the work needs, below the repository's root. @param {import('./workloads.mjs').Work} work */
export function modelOf(work) {
  if (work.kind === 'generate') return broughtFolder(work.model);
  return 'model' in work ? folderOf(work.model, work.precision) : undefined;
}

/**
 * @param {import('./workloads.mjs').Work} work
 * @param {string} [folder] where its model is
 * @param {string} [variant] of the contender
 */
export function argumentsFor(work, folder, variant) {
  const option = work.kind === 'generate' ? '--generator' : '--model';
  return ['--json', ...(folder ? [option, folder] : []), nameOf(work, variant)];
}

/**
 * @param {string} printed one line
 * @returns {import('./engines/session.mjs').Samples}
 */
export function readSamples(printed) {
  const lines = printed.trim().split('\n').filter(Boolean);
  if (lines.length !== 1) throw new Error(`this build of qkv_bench has ${lines.length || 'no'} such work`);
  const { milliseconds, operations, processor, excerpt } = JSON.parse(lines[0]);
  return { milliseconds, operations: operations || undefined, processor, excerpt };
}
