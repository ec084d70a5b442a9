// Every combination of the goldens, on both builds: the relaxed one in a process whose V8 has it.
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { at } from './support.js';

const urlOf = (path) => JSON.stringify(pathToFileURL(at(path)).href);
const run = (flags, text) =>
  new Promise((resolve) => {
    execFile(process.execPath, [...flags, '--input-type=module', '-e', text], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout: stdout.trim(), stderr }),
    );
  });

// In processes of their own: modules run several times slower in Jest, and V8 has relaxed SIMD only behind a flag.
const compare = (build) => `
    import { readFileSync } from 'node:fs';
    import { attention, loadAttention } from ${urlOf('web/lib/attention/index.js')};
    import { compareWithGoldens } from ${urlOf('tests/lib/attention-goldens.js')};
    const read = (name) => readFileSync(new URL(name, ${urlOf('tests/goldens/')}));
    const bytes = read('attention.bin');
    const exact = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const goldens = JSON.parse(read('attention.json'));
    const { build } = await loadAttention({ wasm: '${build}' });
    const { combinations, failures } = await compareWithGoldens(attention, goldens, exact);
    const off = (options) => attention({ ...options, temperature: options.temperature * 1.001 });
    const wrong = await compareWithGoldens(off, { ...goldens, cases: goldens.cases.slice(0, 9) }, exact);
    console.log(build, combinations > 1500, wrong.failures.length > 0, failures.join('; '));`;

test.each([
  ['baseline', []],
  ['relaxed', ['--experimental-wasm-relaxed-simd', '--no-liftoff']],
])(
  'the %s build equals the reference within its error bound',
  async (build, flags) => {
    expect(await run(flags, compare(build))).toEqual({ code: 0, stdout: `${build} true true`, stderr: '' });
  },
  300_000,
);
