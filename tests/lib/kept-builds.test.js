// The compiled module of an engine is kept for the next engine of the same builds.

import { keepBuild, withKeptBuild } from '../../web/lib/hosting/kept-builds.js';

const compiled = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
const pick = { baseline: 'https://host/a.wasm', relaxed: 'https://host/b.wasm' };

test('an engine is asked for its module, and the next one gets it', () => {
  expect(withKeptBuild({ pick })).toEqual({ pick, isShared: true });
  keepBuild({ pick }, { build: 'relaxed', threads: 1, compiled });
  expect(withKeptBuild({ pick })).toEqual({ build: 'relaxed', from: compiled, isShared: undefined });
});

test('another choice of builds, or one build by name, is another engine', () => {
  const named = { build: 'baseline', from: pick.baseline };
  expect(withKeptBuild(named)).toEqual({ ...named, isShared: true });
  keepBuild(named, { build: 'baseline', threads: 1, compiled });
  expect(withKeptBuild(named).from).toBe(compiled);
  expect(withKeptBuild({ pick }).build).toBe('relaxed');
  const elsewhere = { baseline: 'https://other/a.wasm', relaxed: 'https://other/b.wasm' };
  expect(withKeptBuild({ pick: elsewhere })).toEqual({ pick: elsewhere, isShared: true });
});

test('neither bytes of the caller nor a build with threads is kept', () => {
  const bytes = { build: 'custom', from: new ArrayBuffer(8) };
  expect(withKeptBuild(bytes)).toBe(bytes);
  const threaded = { pick, threads: { count: 2, wasm: 'https://host/t.wasm', glue: 'https://host/t.js' } };
  expect(withKeptBuild(threaded)).toBe(threaded);
  keepBuild(threaded, { build: 'threads', threads: 2, compiled });
  expect(withKeptBuild(threaded)).toBe(threaded);
});
