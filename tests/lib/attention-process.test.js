// 'qkv/attention' in its own process: what an import does and which files it loads, what is printed, how much memory is
// used.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { at } from './support.js';

const kSource = JSON.stringify(pathToFileURL(at('web/lib/attention/index.js')).href);

/** Runs a module's text; resolves with {code, stdout, stderr}. */
const run = (text) =>
  new Promise((resolve) => {
    const options = { cwd: at('.'), timeout: 50_000 };
    execFile(process.execPath, ['--input-type=module', '-e', text], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout: stdout.trim(), stderr }),
    );
  });
const quiet = (stdout) => ({ code: 0, stderr: '', stdout });

/** All files that a module imports, directly or indirectly. */
function importsOf(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, name] of source.matchAll(/(?:^|[;}\s])(?:import|export)\b[^'"`;()]*?\bfrom\s*["'](\.[^"']+)["']/g)) {
    importsOf(join(dirname(file), name), found);
  }
  for (const [, name] of source.matchAll(/(?:^|;)import\s*["'](\.[^"']+)["']/g))
    importsOf(join(dirname(file), name), found);
  return found;
}

test('importing does nothing', async () => {
  const text = `
    const before = new Set(Object.getOwnPropertyNames(globalThis));
    for (const name of ['fetch', 'Worker', 'MessageChannel', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'])
      globalThis[name] = () => { throw new Error(name + ' at import'); };
    for (const name of ['compile', 'instantiate', 'validate']) WebAssembly[name] = globalThis.fetch;
    const library = await import(${kSource});
    const added = Object.getOwnPropertyNames(globalThis).filter((name) => !before.has(name) && name !== 'Worker');
    console.log(Object.keys(library).sort().join(), added.length);`;
  const names =
    'QkvError,attention,attentionGradient,linearAttention,loadAttention,multiHeadAttention,positions,scores,selections,windows';
  expect(await run(text)).toEqual(quiet(`${names} 0`));
});

test('neither entry point imports the code of the other', () => {
  const names = (file) => [...importsOf(at(file))].map((path) => relative(at('web/lib'), path));
  const attention = names('web/lib/attention/index.js');
  expect(attention).toEqual(
    expect.arrayContaining(['attention/attention.js', 'attention/tensor.js', 'base/errors.js']),
  );
  const allowed = ['engine/assets.js', 'engine/wasm-settings.js'];
  const isOwn = (name) => /^(attention|base)\//.test(name);
  expect(attention.filter((name) => !isOwn(name) && !allowed.includes(name))).toEqual([]);
  const translator = names('web/lib/index.js');
  expect(translator).toContain('api/translator.js');
  expect(translator.filter((name) => name.startsWith('attention/'))).toEqual([]);
});

test('nor does it in the built package', () => {
  const text = (file) => [...importsOf(at(file))].map((path) => readFileSync(path, 'utf8')).join('\n');
  const [attention, translator] = [text('dist/attention.js'), text('dist/index.js')];
  expect(attention).toContain('multiHeadAttention');
  expect(attention).not.toMatch(/translateStreaming|instantiateWasm/);
  expect(translator).toContain('translateStreaming');
  expect(translator).not.toContain('multiHeadAttention');
});

test('the built package can be imported by its name; its process computes, prints nothing else and ends', async () => {
  const text = `
    import { attention, scores } from 'qkv/attention';
    const { output } = await attention({ query: [[0, 0]], memory: [[1, 2], [3, 4]] });
    console.log(output.data.join(), (await scores())[0].name);`;
  expect(await run(text)).toEqual(quiet('2,3 additive'));
});

test('without a record memory grows with the length, not with its square', async () => {
  const text = `
    import { attention } from ${kSource};
    import { withEngine } from ${JSON.stringify(pathToFileURL(at('web/lib/attention/engine.js')).href)};
    const x = (rows) => ({ data: Float32Array.from({ length: rows * 8 }, (_, i) => Math.sin(i)), shape: [rows, 8] });
    await attention({ query: x(8192), memory: x(8192), record: [] });
    const bytes = await withEngine((wasm) => wasm.memoryBytes());
    console.log(bytes < 24 * 2 ** 20); // the matrix would be 256 MiB`;
  expect(await run(text)).toEqual(quiet('true'));
});

test('a thousand calls take no more memory than ten', async () => {
  const text = `
    import { attention, multiHeadAttention } from ${kSource};
    import { withEngine } from ${JSON.stringify(pathToFileURL(at('web/lib/attention/engine.js')).href)};
    const x = { data: new Float32Array(64 * 32).fill(1), shape: [64, 32] };
    const rounds = async (count) => {
      for (let i = 0; i < count; ++i) {
        await attention({ query: x, memory: x, convention: i % 2 ? 'rows' : 'columns' });
        await attention({ query: x, memory: x, score: 'additive' }).catch(() => {});
        await multiHeadAttention({ query: x, heads: 4, weights: { query: { data: new Float32Array(1024), shape: [32, 32] } } });
      }
      return withEngine((wasm) => wasm.memoryBytes());
    };
    const first = await rounds(10);
    console.log((await rounds(1000)) - first);`;
  expect(await run(text)).toEqual(quiet('0'));
});
