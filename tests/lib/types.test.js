import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { at } from './support.js';

const inTypes = (name) => at(`tests/lib/types/${name}`);
const kUsers = ['usage.ts', 'detect.ts', 'translator-api.ts', 'attention.ts', 'train.ts', 'models.ts', 'view.ts'].map(
  inTypes,
);

// Names that the documents' examples assume.
const kGiven = `import { Translator as _Translator } from 'qkv';
declare const text: string, translator: _Translator;
declare function show(part: string): void;`;
// for an example that continues the one before
const kImports = "import { Encoder, Generator, load } from 'qkv/models';";

/** Declares the built-in API's globals for users who have them: here with the classes that are installed. */
const kGlobals = [
  at('tests/lib/types/globals.d.ts'),
  "declare var Translator: typeof import('qkv/translator-api').Translator;",
];

/** The examples of a document, each as its own file. @returns {Map<string, string>} */
function examplesOf(path) {
  const examples = [...readFileSync(at(path), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)];
  return new Map(
    examples.map(([, code], i) => {
      const imports = code.match(/^import .*$/gm)?.join('\n') ?? kImports;
      const rest = code.replace(/^import .*$/gm, '');
      return [at(`tests/lib/types/${path.replace(/\W/g, '-')}-${i}.ts`), `${kGiven}\n${imports}\n{\n${rest}\n}`];
    }),
  );
}

/**
 * The compiler's messages for users' files, with the types that the package's `exports` name.
 * @param {object} options
 * @param {string[]} [names] of files; by default one for each entry point of the package
 * @param {Map<string, string>} [texts] of files that are not on the disk
 */
function complaints(options, names = kUsers, texts = new Map()) {
  const compilerHost = ts.createCompilerHost({});
  const { readFile, fileExists } = compilerHost;
  compilerHost.readFile = (name) => texts.get(name) ?? readFile(name);
  compilerHost.fileExists = (name) => texts.has(name) || fileExists(name);
  const program = ts.createProgram(
    names,
    {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: [],
      ...options,
    },
    compilerHost,
  );
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => at('.'), getNewLine: () => '\n' };
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host);
}

test.each([
  ['a bundler', { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
  ['Node', { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }],
])("the package's types compile under strict TypeScript with %s", (_, options) => {
  expect(complaints(options)).toBe('');
});

test.each([['react.tsx'], ['svelte.ts'], ['vue.ts']])("the elements in a framework's templates: %s", (name) => {
  const { Bundler } = ts.ModuleResolutionKind;
  const options = { module: ts.ModuleKind.ESNext, moduleResolution: Bundler, jsx: ts.JsxEmit.ReactJSX };
  // Errors in the frameworks' own files are not ours.
  expect(complaints({ ...options, skipLibCheck: true }, [inTypes(`view-${name}`)])).toBe('');
});

test.each([
  'README.md',
  'web/docs/models.md',
  'web/docs/store.md',
  'web/docs/firefox-models.md',
  'web/docs/bergamot.md',
  'web/docs/hosts.md',
  'web/docs/translator-api.md',
  'web/docs/markup.md',
  'web/docs/page.md',
])('the examples of %s compile under strict TypeScript', (path) => {
  const files = examplesOf(path);
  expect(files.size).toBeGreaterThan(0);
  if (path.endsWith('translator-api.md')) files.set(...kGlobals);
  const lib = ['lib.es2022.full.d.ts']; // the default of a project that sets nothing
  const options = { lib, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  expect(complaints(options, [...files.keys()], files)).toBe('');
});
