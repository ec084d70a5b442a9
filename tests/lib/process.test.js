// The library in its own process: what an import does, what keeps the process running, what is printed.
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { kSure } from '../translations.js';
import { at, floatFolder } from './support.js';

/** Runs a module's text; resolves with {code, stdout, stderr}. */
function run(text, { flags = [], cwd = at('.') } = {}) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...flags, '--input-type=module', '-e', text],
      { cwd, timeout: 50_000 },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout: stdout.trim(), stderr }),
    );
  });
}

const kText = JSON.stringify(kSure.text);
const kSource = JSON.stringify(pathToFileURL(at('web/lib/index.js')).href);
const kGoldens = JSON.stringify(pathToFileURL(at('tests/translations.js')).href);
const kPair = `sourceLanguage: 'en', targetLanguage: 'fr'`;
// Node 20 has relaxed SIMD behind a flag. Its fast compiler computes the dot product wrongly where registers are
// scarce.
const kRelaxed = ['--experimental-wasm-relaxed-simd', '--no-liftoff'];
const quiet = (stdout) => ({ code: 0, stderr: '', stdout });

test.each([
  ['index.js', 'QkvError,Translator,languagePairs,models,registry,splitSentences,version'],
  ['models/index.js', 'Encoder,Generator,QkvError,Translator,inspect,load'],
])('importing %s does nothing', async (module, names) => {
  const forbidden = [
    'fetch',
    'Worker',
    'MessageChannel',
    'setTimeout',
    'setInterval',
    'setImmediate',
    'queueMicrotask',
  ];
  const text = `
    const before = new Set(Object.getOwnPropertyNames(globalThis));
    for (const name of ${JSON.stringify(forbidden)}) globalThis[name] = () => { throw new Error(name + ' at import'); };
    for (const name of ['compile', 'instantiate', 'validate']) WebAssembly[name] = globalThis.fetch;
    const library = await import(${kSource.replace('index.js', module)});
    const added = Object.getOwnPropertyNames(globalThis).filter((name) => !before.has(name) && name !== 'Worker');
    console.log(Object.keys(library).sort().join(), added.length, process.getActiveResourcesInfo().filter((r) => /Message|Worker/.test(r)).length);`;
  expect(await run(text)).toEqual(quiet(`${names} 0 0`));
});

test('the relaxed build is refused if it computes wrongly, even if it is requested', async () => {
  const text = `
    import { Translator } from ${kSource};
    const failed = await Translator.create({ ${kPair}, wasm: 'relaxed' }).catch((error) => error);
    console.log(failed.code, failed.message);`;
  for (const flags of [[], ['--experimental-wasm-relaxed-simd']]) {
    if (Number(process.versions.node.split('.')[0]) > 20) return; // later versions compute it correctly
    expect(await run(text, { flags })).toMatchObject({ stdout: expect.stringMatching(/^UNSUPPORTED.*relaxed SIMD/) });
  }
});

test.each([
  ['this thread', false],
  ['a worker', true],
])(
  'the five lines of the README print the translation and nothing else, and the process ends, in %s',
  async (_, worker) => {
    const text = `
    import { Translator } from ${kSource};
    const translator = await Translator.create({ ${kPair}, worker: ${worker} });
    console.log(await translator.translate(${kText}));`;
    expect(await run(text)).toEqual(quiet(kSure.translation));
  },
);

test.each([
  ['this thread', false],
  ['a worker', true],
])('a model folder of the caller works, prints nothing else, and the process ends, in %s', async (_, worker) => {
  const folder = JSON.stringify(at('tests/goldens/one-sided/gpt2'));
  const text = `
    import { load } from ${JSON.stringify(pathToFileURL(at('dist/models.js')).href)};
    const generator = await load(${folder}, { worker: ${worker} });
    console.log((await generator.generate('The', { maxLength: 3 })).ids.length, generator.info.worker);`;
  expect(await run(text)).toEqual(quiet(`3 ${worker}`));
});

test.each([
  ['this thread', false],
  ['a worker', true],
])('many simultaneous calls with one signal cause no warning, in %s', async (_, worker) => {
  const text = `
    import { Translator } from ${kSource};
    const translator = await Translator.create({ ${kPair}, worker: ${worker} });
    const { signal } = new AbortController();
    const all = Array.from({ length: 30 }, () => translator.translate('Hello.', { signal }));
    const running = Array.from({ length: 30 }, () => translator.translate('Hello.'));
    console.log(new Set(await Promise.all([...all, ...running])).size);
    const creating = Array.from({ length: 30 }, () => Translator.create({ ${kPair}, worker: ${worker}, signal }));
    console.log((await Promise.all(creating)).length);`;
  expect(await run(text)).toEqual(quiet('1\n30'));
});

test('an idle worker does not keep a process alive, and a destroyed one has ended', async () => {
  const text = `
    import { Translator } from ${kSource};
    const [a, b] = await Promise.all([0, 1].map(() => Translator.create({ ${kPair}, worker: true })));
    a.destroy();
    console.log(await b.translate('Hello.') !== '');
    b.destroy();
    await new Promise((resolve) => setTimeout(resolve, 200));
    console.log(process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length);`;
  expect(await run(text)).toEqual(quiet('true\n0'));
});

test('the relaxed build, forced, translates as the baseline does; where it cannot run it says so', async () => {
  const text = `
    import { Translator } from ${kSource};
    const outcome = [];
    for (const wasm of ['relaxed', 'baseline', undefined]) {
      const translator = await Translator.create({ ${kPair}, wasm }).catch((error) => error);
      if (translator instanceof Error) outcome.push(translator.code);
      else outcome.push(translator.info.engine, await translator.translate(${kText}));
      translator.destroy?.();
    }
    console.log(outcome.join('|'));`;
  const french = kSure.translation;
  expect(await run(text, { flags: kRelaxed })).toEqual(quiet(`relaxed|${french}|baseline|${french}|relaxed|${french}`));
  expect(await run(text)).toEqual(quiet(`UNSUPPORTED|baseline|${french}|baseline|${french}`));
});

test('the relaxed build agrees with PyTorch on the goldens', async () => {
  const text = `
    import { Translator } from ${kSource};
    import { kMayDiffer, readTranslations } from ${kGoldens};
    for (const [name, model] of [['en-fr-int8', undefined], ['en-fr', ${JSON.stringify(floatFolder)}]]) {
      const { translations, compare } = readTranslations(name);
      const translator = await Translator.create({ ${kPair}, model, wasm: 'relaxed', beam: 1 });
      const ours = [];
      for (const { source } of translations) ours.push(await translator.translate(source, { split: false, copy: false }));
      const { differing, wrong } = compare('greedy', ours);
      console.log(ours.length, differing.length <= kMayDiffer, wrong.length);
      translator.destroy();
    }`;
  expect(await run(text, { flags: kRelaxed })).toEqual(quiet('100 true 0\n100 true 0'));
});

test('if a debugger stops a job, waiting jobs fail too, and the next one works', async () => {
  const text = `
    import { Session } from 'node:inspector';
    import { Scheduler } from ${kSource.replace('index.js', 'engine/scheduler.js')};
    const session = new Session();
    session.connect();
    const scheduler = new Scheduler();
    const { signal } = new AbortController();
    const ending = (step) => scheduler.run(step, signal).catch((error) => error.code);
    const waits = ending(() => false);
    const stops = ending(() => { session.post('Runtime.terminateExecution'); for (;;); });
    console.log(await waits, await stops);
    await scheduler.run(() => true, signal);`;
  expect(await run(text)).toEqual(quiet('ENGINE_FAILED ENGINE_FAILED'));
});

describe('the built package', () => {
  test('can be imported by its name, prints nothing, and works', async () => {
    const text = `
      import { Translator } from 'qkv';
      const greeting = async (worker) => {
        const translator = await Translator.create({ ${kPair}, worker });
        console.log(await translator.translate(${kText}), (await translator.trace('Hello.')).cross.shape.length);
        translator.destroy();
      };
      await greeting(false);
      await greeting(true);`;
    expect(await run(text)).toEqual(quiet(`${kSure.translation} 4\n${kSure.translation} 4`));
  });
});
