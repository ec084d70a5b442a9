// The API reference. TypeDoc reads the package's types, and writes a page for each entry point.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application } from 'typedoc';
import { ToolError, at } from '../common.mjs';

/** The files of types in dist/ for the entry points in the reference. */
function entryPoints() {
  const { exports } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  const named = Object.entries(exports).map(([name, entry]) => [name, entry.default?.types ?? entry.types ?? '']);
  return named
    .filter(([name, types]) => /^\.(\/[\w-]+)?$/.test(name) && name !== './static' && /\.d\.ts$/.test(types))
    .map(([, types]) => at(types));
}

/** Writes the tsconfig.json for TypeDoc, which says how modules are found. @param {string} folder @param {string[]} files */
function writeSettings(folder, files) {
  const lib = ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'];
  const compilerOptions = {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    target: 'es2022',
    lib,
    skipLibCheck: true,
  };
  const path = join(folder, 'tsconfig.json');
  writeFileSync(path, JSON.stringify({ compilerOptions: { ...compilerOptions, types: [] }, files }));
  return path;
}

const kTable = 'table';

/**
 * The reference as documents of the site. dist/ must have been built.
 * @returns {Promise<import('./site.mjs').Document[]>}
 */
export async function reference() {
  // The options: a Markdown file for each entry point, with tables.
  const files = entryPoints();
  const out = at('build', 'reference');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  /** @type {Record<string, unknown>} */
  const options = {
    entryPoints: files,
    tsconfig: writeSettings(out, files),
    plugin: ['typedoc-plugin-markdown', 'typedoc-plugin-missing-exports'],
    readme: 'none',
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    outputFileStrategy: 'modules',
    internalModule: 'Types',
    out,
    useCodeBlocks: true,
    useHTMLAnchors: true,
    expandObjects: true,
    parametersFormat: kTable,
    propertiesFormat: kTable,
    interfacePropertiesFormat: kTable,
    classPropertiesFormat: kTable,
    typeDeclarationFormat: kTable,
    logLevel: 'Error',
  };
  // Run TypeDoc.
  const application = await Application.bootstrapWithPlugins(options);
  const project = await application.convert();
  if (!project || application.logger.hasErrors()) throw new ToolError('TypeDoc cannot read the types in dist/');
  await application.generateOutputs(project);
  return documentsOf(out);
}

/**
 * The files of TypeDoc, with titles. TypeDoc names an entry point by its file; the title is the name that users import.
 * @param {string} out
 */
function documentsOf(out) {
  const paths = readdirSync(out, { recursive: true })
    .map((path) => String(path).replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && path !== 'README.md')
    .sort();
  return paths.map((path) => {
    const [folder, ...rest] = path.split('/');
    const entryPoint = folder === 'index' ? 'qkv' : `qkv/${folder}`;
    const isEntryPoint = rest.length === 1 && rest[0] === 'README.md';
    const title = isEntryPoint ? entryPoint : `${rest.join(' ').replace(/^namespaces |\.md$/g, '')} of ${entryPoint}`;
    const source = readFileSync(join(out, path), 'utf8')
      .replace(/^# .*/, `# ${title}`)
      // An anchor before a heading becomes the heading's id. Anchors in tables stay.
      .replace(/<a id="([^"]+)"><\/a>\s*\n+(#+ .*)/g, '$2 {#$1}');
    return { path: `reference/${path}`, source, hasAnchors: true, ...(isEntryPoint && { group: 'API' }) };
  });
}
