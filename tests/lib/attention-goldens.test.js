// Every combination of the goldens, on both builds: the relaxed one in a process whose V8 has it.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { attention, loadAttention } from '../../web/lib/attention/index.js';
import { compareWithGoldens } from './attention-goldens.js';
import { at, readJson } from './support.js';

const urlOf = (path) => JSON.stringify(pathToFileURL(at(path)).href);
const run = (flags, text) =>
  new Promise((resolve) => {
    execFile(process.execPath, [...flags, '--input-type=module', '-e', text], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout: stdout.trim(), stderr }),
    );
  });

test('the baseline build is the reference within its bound', async () => {
  const goldens = readJson('tests/goldens/attention.json');
  const bytes = readFileSync(at('tests/goldens/attention.bin'));
  const exact = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  expect(await loadAttention({ wasm: 'baseline' })).toEqual({ build: 'baseline' });
  const { combinations, failures } = await compareWithGoldens(attention, goldens, exact);
  expect(failures).toEqual([]);
  expect(combinations).toBeGreaterThan(1500);
  const off = (options) => attention({ ...options, temperature: options.temperature * 1.001 });
  expect((await compareWithGoldens(off, { ...goldens, cases: goldens.cases.slice(0, 9) }, exact)).failures).not.toEqual(
    [],
  );
}, 300_000);

test('the relaxed build is too', async () => {
  const text = `
    import { readFileSync } from 'node:fs';
    import { attention, loadAttention } from ${urlOf('web/lib/attention/index.js')};
    import { compareWithGoldens } from ${urlOf('tests/lib/attention-goldens.js')};
    const read = (name) => readFileSync(new URL(name, ${urlOf('tests/goldens/')}));
    const bytes = read('attention.bin');
    const exact = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const { build } = await loadAttention();
    const { combinations, failures } = await compareWithGoldens(attention, JSON.parse(read('attention.json')), exact);
    console.log(build, combinations > 1500, failures.join('; '));`;
  expect(await run(['--experimental-wasm-relaxed-simd'], text)).toEqual({
    code: 0,
    stdout: 'relaxed true',
    stderr: '',
  });
}, 300_000);
