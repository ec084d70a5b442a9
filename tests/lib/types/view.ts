// What a user of 'qkv/view' writes, against the types in the package. types.test.js compiles this file; it never runs.
import { Selection, TraceError, readTrace, sliceOf, type GridElement, type QkvEvents } from 'qkv/view';

export function draws(text: string): number {
  const trace = readTrace(text);
  const selection = new Selection();
  const matrix = document.createElement('qkv-matrix');
  const pieces = document.querySelector('qkv-pieces');
  matrix.slice = sliceOf(trace, { kind: 'cross', layer: 0, head: 0 });
  matrix.selection = selection;
  matrix.scaling = 'row';
  if (pieces) [pieces.side, pieces.selection] = ['target', selection];
  pieces?.show(trace.target);
  const heads = document.createElement('qkv-heads');
  heads.show(trace, 'cross', { layer: 0, head: 0 });
  heads.addEventListener('qkv-choose', (event) => {
    const { layer } = (event as QkvEvents['qkv-heads']['qkv-choose']).detail;
    console.log(layer.toFixed());
  });
  return selection.current?.query ?? 0;
}

export function numbers(grid: GridElement): string {
  grid.grid = { name: 'scores', axes: ['query', 'key'], rows: ['a'], columns: ['b'], data: [1], kind: 'signed' };
  return grid.grid.name;
}

export const isOurs = (error: unknown): boolean => error instanceof TraceError;

// @ts-expect-error no such scaling
document.createElement('qkv-matrix').scaling = 'column';
// @ts-expect-error not a matrix of numbers
document.createElement('qkv-grid').grid = [[1, 2]];
