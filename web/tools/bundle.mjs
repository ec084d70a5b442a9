// Bundles the library into dist/ (the npm package) and the pages into build/site/. In both, assets/ has the files outside the
// module graph: WebAssembly, and workers, each a classic script without imports.

import { createHash } from 'node:crypto';
import { constants, copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { build as esbuild } from 'esbuild';
import { ToolError, at } from './common.mjs';
import { siteAddress, sitemap, withPreview } from './addresses.mjs';
import { writeServiceWorker } from './service-worker.mjs';
import { trimMaps } from './source-maps.mjs';
import { noting, writeNotices } from './notices.mjs';
import { writeCommandPackage, writeDemoPackage, writePackage } from './package.mjs';

const kLib = at('web', 'lib');
const kModels = at('web', 'models');

/** The scripts of the workers, in web/lib. */
const kWorkers = {
  worker: 'engine/worker.js',
  'train-worker': 'train/train-worker.js',
  'models-worker': 'engine/models/models-worker.js',
};

/** Eight digits of the SHA-256 of a file. @param {string} file */
const hashOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 8);

/**
 * The name in the bundle of a file to which a script has a URL. The names of compiled files contain a hash of their content.
 * @param {string} file
 */
function nameOf(file) {
  const path = relative(at(), file).split(sep).join('/');
  const compiled = /^build\/wasm\/(\w+)\/(qkv|models|attention)\.(wasm|mjs)$/.exec(path);
  if (compiled) {
    const [, build, engine, kind] = compiled;
    const hash = hashOf(file);
    const extension = kind === 'mjs' ? 'js' : kind;
    return `assets/qkv-${engine === 'qkv' ? '' : `${engine}-`}${build}-${hash}.${extension}`;
  }
  if (path === 'web/models/detect/languages.bin') return `assets/qkv-detect-${hashOf(file)}.bin`;
  const worker = Object.entries(kWorkers).find(([, source]) => path === `web/lib/${source}`);
  if (worker) return `assets/${worker[0]}.js`;
  const model = /^web\/(models\/.*)$/.exec(path);
  if (!model) throw new ToolError(`${path} is named by its URL, and the bundle has no place for it`);
  return model[1];
}

/** The folders of web/lib whose modules are always needed together. */
const kOneChunk = ['base', 'worker'];

/**
 * Imports between the modules of such a folder, without names. They put all of the modules into one chunk, because many
 * small chunks take more bytes.
 * @param {string} path of a module
 */
function importsOfOthers(path) {
  const folder = dirname(path);
  if (!kOneChunk.some((name) => folder === join(kLib, name))) return '';
  const others = readdirSync(folder).filter((name) => name !== basename(path) && name.endsWith('.js'));
  return others.map((name) => `import './${name}';\n`).join('');
}

/**
 * Finds `new URL('file', import.meta.url)` in the library and in model packages, and replaces the path by the file's name in
 * the bundle. `files` collects these files.
 * @param {Set<string>} files
 * @returns {import('esbuild').Plugin}
 * @param {boolean} isSplit whether the modules become chunks
 */
const assets = (files, isSplit) => ({
  name: 'assets',
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(kLib) && !path.startsWith(kModels)) return null;
      let contents = readFileSync(path, 'utf8');
      for (const [, url] of contents.matchAll(/new URL\('([^']+)', import\.meta\.url\)/g)) {
        const file = resolve(dirname(path), url);
        files.add(file);
        contents = contents.replaceAll(`'${url}'`, `'./${nameOf(file)}'`);
      }
      return { contents: (isSplit ? importsOfOthers(path) : '') + contents, loader: 'js' };
    });
    // The glue's own URL of the WebAssembly is removed, because bundlers would follow it. The glue does not need it: the
    // library passes the instance.
    build.onLoad({ filter: /(qkv|models|attention)\.mjs$/ }, ({ path }) => {
      return { contents: withoutUrls(readFileSync(path, 'utf8')), loader: 'js' };
    });
  },
});

/** @param {string} glue */
function withoutUrls(glue) {
  const contents = glue
    .replace(/new URL\("\w+\.wasm",\s*import\.meta\.url\)\.href/g, '""')
    .replace(/_scriptName = import\.meta\.url/, '_scriptName = ""');
  if (contents.includes('import.meta')) throw new ToolError('the glue names files in an unknown way');
  return contents;
}

const kTarget = /** @type {const} */ ({ target: 'es2022', legalComments: 'none', logLevel: 'warning' });

/** A thread holds a lock until it ends, and it ends when it fails. So the page notices a failure (web/lib/worker/liveness.js). */
const kThreadLock = `if (self.name.startsWith('em-pthread')) {
  navigator.locks.request(self.name, () => new Promise(() => {}));
  addEventListener('error', () => close());
}
`;

/**
 * Writes the glue with threads as a classic script, which the worker and each thread run. The library starts the threads,
 * because the glue does not know its own URL.
 * @param {string} file @param {string} out @param {{minify: boolean, sourcemap?: 'linked'}} options
 */
async function writeThreadsGlue(file, out, { minify }) {
  const start = /new Worker\(new URL\("\w+\.mjs",\s*import\.meta\.url\),\s*workerOptions\)/;
  const glue = readFileSync(file, 'utf8');
  if (!start.test(glue)) throw new ToolError('the glue with threads starts them in an unknown way');
  const contents = withoutUrls(glue.replace(start, 'Module["startThread"](workerOptions.name)')).replace(
    'export default createQkv',
    'globalThis.qkvWithThreads = createQkv',
  );
  await esbuild({ ...kTarget, stdin: { contents: kThreadLock + contents }, outfile: out, format: 'iife', minify });
}

/**
 * Writes the modules and style sheets of `entryPoints`, and in assets/ the workers and the compiled files that they name.
 * @param {string} out
 * @param {{in: string, out: string}[]} entryPoints
 * @param {{minify: boolean, sourcemap?: 'linked'}} options
 * @returns {Promise<(script: string) => string[]>} the chunks that a script needs, by their names in `out`
 */
async function bundle(out, entryPoints, { minify, sourcemap }) {
  // The modules and style sheets.
  const files = new Set();
  const shared = { ...kTarget, bundle: true, sourcemap, plugins: [assets(files, false), noting(out)] };
  const { metafile } = await esbuild({
    ...shared,
    metafile: true,
    plugins: [assets(files, true), noting(out)],
    entryPoints,
    outdir: out,
    splitting: true,
    format: 'esm',
    chunkNames: '[name]-[hash]',
    // The page provides the fonts and pictures that a style sheet names.
    external: ['*.woff2', '*.svg'],
    minify,
  });
  // The workers that they name, then the compiled files.
  const isWorker = (/** @type {string} */ name) => [...files].some((file) => file === join(kLib, name));
  const workers = Object.entries(kWorkers).filter(([, source]) => isWorker(source));
  await esbuild({
    ...shared,
    sourcemap: undefined, // the maps would have the same sources three times, a tenth of the package
    entryPoints: workers.map(([name, source]) => ({ in: join(kLib, source), out: name })),
    outdir: join(out, 'assets'),
    format: 'iife',
    minify,
  });
  for (const file of files) {
    const to = join(out, nameOf(file));
    if (/\.(wasm|bin)$/.test(file)) copy(file, to);
    if (file.endsWith('.mjs')) await writeThreadsGlue(file, to, { minify });
  }
  return (script) => importsOf(metafile, join(out, script)).map((file) => relative(out, file).split(sep).join('/'));
}

/**
 * The chunks that a script imports, directly and through others, but not those that it may import later.
 * @param {import('esbuild').Metafile} metafile whose paths are relative to the working folder
 * @param {string} script
 */
function importsOf({ outputs }, script) {
  const found = new Set([script]);
  for (const file of found) {
    const imports = outputs[relative('', file).split(sep).join('/')]?.imports ?? [];
    for (const { path, kind } of imports) if (kind === 'import-statement') found.add(resolve(path));
  }
  return [...found].slice(1);
}

/**
 * A page that asks for its scripts' chunks at once, not when the scripts have come.
 * @param {string} html
 * @param {(script: string) => string[]} chunksOf
 */
function withChunks(html, chunksOf) {
  const scripts = entriesOf(html).filter((name) => name.endsWith('.js'));
  const links = [...new Set(scripts.flatMap(chunksOf))].map((name) => `<link rel="modulepreload" href="${name}" />`);
  return html.replace('</head>', `  ${links.join('\n    ')}\n  </head>`);
}

/** @param {string} from @param {string} to */
export function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
}

/** Makes an empty folder. @param {string} folder */
function fresh(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/** The package: a module for each entry point, their chunks, assets/, view/, types/, its manifest, notices and documents. */
export async function bundlePackage({ minify = true } = {}) {
  const out = at('dist');
  fresh(out);
  // The modules that a user imports.
  const modules = {
    index: 'index.js',
    attention: 'attention/index.js',
    train: 'train/index.js',
    models: 'models/index.js',
    page: 'page/index.js',
    'page-auto': 'page/auto.js',
    detect: 'detect/index.js',
    explain: 'explain/index.js',
    'translator-api': 'translator-api/index.js',
    'translator-api/install': 'translator-api/install.js',
  };
  const entryPoints = Object.entries({ ...modules, static: 'static.js' });
  await bundle(
    out,
    entryPoints.map(([name, file]) => ({ in: join(kLib, file), out: name })),
    { minify, sourcemap: 'linked' },
  );
  // The elements, with a style sheet for each.
  const views = readdirSync(at('web', 'view')).filter((name) => name === 'index.js' || name.endsWith('.css'));
  const viewPoints = views.map((name) => ({ in: at('web', 'view', name), out: name.replace(/\.\w+$/, '') }));
  await bundle(join(out, 'view'), viewPoints, { minify, sourcemap: 'linked' });
  // The other files: maps without third-party code, notices, types, the manifest. Then the package of the command.
  trimMaps(out);
  writeNotices(out);
  await writePackage(out);
  await writeCommand(at('build', 'qkv-cli'), { minify });
}

/**
 * The npm package of the command in Node: its script, its WebAssembly and the glue. It is a separate package, because a page
 * needs nothing of it.
 * @param {string} out
 * @param {{minify: boolean}} options
 */
async function writeCommand(out, { minify }) {
  fresh(out);
  const compiled = at('build', 'wasm', 'baseline');
  // The glue is a separate file, which finds the WebAssembly beside itself.
  const shared = /** @type {const} */ ({ ...kTarget, format: 'esm', platform: 'node', minify });
  const script = { entryPoints: [at('web', 'command', 'qkv.js')], bundle: true, external: ['./command.mjs'] };
  await esbuild({ ...shared, ...script, outfile: join(out, 'qkv.js') });
  await esbuild({ ...shared, entryPoints: [join(compiled, 'command.mjs')], outfile: join(out, 'command.mjs') });
  copy(join(compiled, 'command.wasm'), join(out, 'command.wasm'));
  for (const name of ['LICENSE', 'CHANGELOG.md']) copy(at(name), join(out, name));
  writeNotices(out, (map) => map === 'command.map');
  writeCommandPackage(out);
}

/** The pages, as a static site for any server. The same folder is the npm package of `qkv serve`. */
export async function bundleSite({ minify = true } = {}) {
  const out = at('build', 'site');
  fresh(out);
  // The pages with their shared parts, and all scripts that they name.
  const demo = readdirSync(at('web', 'demo'));
  const pages = new Map(demo.filter((name) => name.endsWith('.html')).map((name) => [name, wholePage(name)]));
  const { fiveLines, speedTable } = await import('./first-page.mjs');
  const first = /** @type {string} */ (pages.get('index.html'));
  pages.set('index.html', first.replace('{{five-lines}}', fiveLines).replace('{{speed}}', speedTable));
  const document = wholePage('docs/page.html', 'docs/');
  const scripts = [...new Set([...pages.values(), document].flatMap(entriesOf))];
  const entryPoints = scripts.map((name) => ({ in: at('web', 'demo', name), out: name.replace(/\.\w+$/, '') }));
  const chunksOf = await bundle(out, entryPoints, { minify });
  // The pages' files, pictures and models.
  const site = siteAddress();
  for (const [name, html] of pages) {
    writeFileSync(join(out, name), withPreview(withChunks(html, chunksOf), name, site));
  }
  for (const name of demo.filter((file) => /\.(svg|png|ico|webmanifest)$/.test(file))) {
    copy(at('web', 'demo', name), join(out, name));
  }
  copyModels(join(out, 'models'));
  // The documents. The reference takes longer than everything else, so `npm run dev` does not build it.
  const documents = await writeDocs(join(out, 'docs'), withChunks(document, chunksOf), { withReference: minify, site });
  if (site) writeFileSync(join(out, 'sitemap.xml'), sitemap([...pages.keys(), ...documents], site));
  writeNotices(out);
  await writeServiceWorker(out, { isKeeping: minify, minify });
  writeDemoPackage(out);
}

/**
 * The documents, each in the page `template`, whose addresses are relative to the pages' folder.
 * @param {string} out
 * @param {string} template
 * @param {{withReference: boolean, site: string | null}} options whether to include the API reference, which needs dist/; the
 *   site's address
 * @returns {Promise<string[]>} the pages, by their paths in the site
 */
async function writeDocs(out, template, { withReference, site }) {
  const { docsSite } = await import('./docs/site.mjs');
  const inFolder = template.replace(/(href|src)="(?![a-z]+:|#|{{)(?:\.\/)?([^"]*)"/g, '$1="{{up}}../$2"');
  const { files, pictures } = await docsSite(
    (parts) => inFolder.replace(/{{(\w+)}}/g, (_, name) => parts[/** @type {keyof typeof parts} */ (name)]),
    { withReference },
  );
  for (const [path, text] of files) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), path.endsWith('.html') ? withPreview(text, `docs/${path}`, site) : text);
  }
  for (const path of pictures) copy(at('web', 'docs', path), join(out, path));
  return [...files.keys()].filter((path) => path.endsWith('.html')).map((path) => `docs/${path}`);
}

/** Copies the model folders, without training logs and without the detector, which is in assets/. Links become files. @param {string} out */
function copyModels(out) {
  const filter = (/** @type {string} */ path) => !['training', 'detect'].includes(basename(path));
  cpSync(kModels, out, { recursive: true, filter, dereference: true });
}

/**
 * A page with the parts that several pages share. `<qkv-part file="card" caption="…">more</qkv-part>` becomes
 * parts/card.html. In the part, the attribute's value replaces `{{caption}}`, and the content replaces `<slot></slot>`. A
 * missing attribute is empty. If a part links to the page itself, the link is marked as current.
 * @param {string} name
 * @param {string} [address] the address that parts use for the page
 * @returns {string}
 */
function wholePage(name, address = name === 'index.html' ? './' : name) {
  /** @type {(html: string) => string} */
  const filled = (html) =>
    html.replace(/[ ]*<qkv-part\s+file="([\w-]+)"([^>]*)>([\s\S]*?)<\/qkv-part>\n?/g, (_, file, attributes, inside) => {
      const values = Object.fromEntries(
        [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
      );
      const part = readFileSync(at('web', 'demo', 'parts', `${file}.html`), 'utf8');
      return filled(
        part.replace(/\{\{([\w-]+)\}\}/g, (_, key) => values[key] ?? '').replace('<slot></slot>', inside.trim()),
      );
    });
  const own = `href="${address}"`;
  const html = filled(readFileSync(at('web', 'demo', name), 'utf8'));
  if (html.includes('<qkv-part')) throw new ToolError(`${name} has a part that is not filled in`);
  return html.replace(`<a ${own}`, `<a ${own} aria-current="page"`);
}

/** The module scripts and style sheets of a page. @param {string} html @returns {string[]} */
function entriesOf(html) {
  const names = html.matchAll(/<(?:script[^>]*\ssrc|link[^>]*rel="stylesheet"[^>]*\shref)="([^":]+)"/g);
  return [...names].map(([, url]) => url);
}
