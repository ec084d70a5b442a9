import ts from 'typescript';
import { at } from './support.js';

/** What the compiler says of users' files, by the types that the package's `exports` name. */
function complaints(options) {
  const program = ts.createProgram(
    [...['usage', 'attention', 'train', 'models'].map((name) => at(`tests/lib/types/${name}.ts`))],
    {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: [],
      ...options,
    },
  );
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => at('.'), getNewLine: () => '\n' };
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host);
}

test.each([
  ['a bundler', { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
  ['Node', { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }],
])("the package's types serve %s, strictly, library files checked too", (_, options) => {
  expect(complaints(options)).toBe('');
});
