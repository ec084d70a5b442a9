// Bundles the library into dist/ (the npm package) and the pages into build/site/. Both folders are flat: scripts, chunks,
// worker and WebAssembly lie side by side, so that URLs relative to a script hold wherever it is served from.

import { createHash } from 'node:crypto';
import { constants, copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { build as esbuild } from 'esbuild';
import { ToolError, at, run } from './common.mjs';

const kLib = at('web', 'lib');
const kOfThePages = ['compared', 'english']; // models that the package does not have

/** The name in the bundle of a file that the library names by its URL. WebAssembly's carries a hash of its content. */
function nameOf(file) {
  const path = relative(at(), file).split(sep).join('/');
  const wasm = /^build\/wasm\/(\w+)\/(qkv|models)\.wasm$/.exec(path);
  if (wasm) {
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 8);
    return `qkv-${wasm[2] === 'qkv' ? '' : `${wasm[2]}-`}${wasm[1]}-${hash}.wasm`;
  }
  if (path === 'build/wasm/threads/qkv.mjs') {
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 8);
    return `qkv-threads-${hash}.mjs`;
  }
  const inside = /^web\/(models\/.*|lib\/(?:\w+\/)?([\w-]+\.js))$/.exec(path);
  if (!inside) throw new ToolError(`${path} is named by its URL, and the bundle has no place for it`);
  return inside[2] ?? inside[1];
}

/** Follows `new URL('file', import.meta.url)` in the library: the file goes into the bundle, its name into the code. */
const assets = (outdir) => ({
  name: 'assets',
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(kLib)) return null;
      const contents = readFileSync(path, 'utf8').replace(/new URL\('([^']+)', import\.meta\.url\)/g, (_, url) => {
        const file = resolve(dirname(path), url);
        const name = nameOf(file);
        if (name.endsWith('.mjs')) writeFileSync(join(outdir, name), threadsGlue(readFileSync(file, 'utf8')));
        else if (!name.endsWith('.js')) copy(file, join(outdir, name));
        return `new URL('./${name}', import.meta.url)`;
      });
      return { contents, loader: 'js' };
    });
    // The library hands the instance in, so the glue's own guess at the wasm's URL is dead; bundlers would chase it.
    build.onLoad({ filter: /(qkv|models)\.mjs$/ }, ({ path }) => {
      return { contents: withoutWasmUrl(readFileSync(path, 'utf8')), loader: 'js' };
    });
  },
});

function withoutWasmUrl(glue) {
  const contents = glue.replace(/new URL\("\w+\.wasm",\s*import\.meta\.url\)\.href/g, '""');
  if (/new URL\("\w+\.wasm"/.test(contents)) throw new ToolError('qkv.mjs names the wasm in an unknown way');
  return contents;
}

/** Its threads run the glue's own file, whatever that is called where it ends up. */
function threadsGlue(glue) {
  const contents = withoutWasmUrl(glue).replace(/new URL\("qkv\.mjs",\s*import\.meta\.url\)/g, 'import.meta.url');
  if (contents.includes('new URL(')) throw new ToolError('the glue with threads names files in an unknown way');
  return contents;
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
}

const options = (outdir, minify) => ({
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  chunkNames: '[name]-[hash]',
  // Which font or picture a style sheet names is the page's matter.
  external: ['*.woff2', '*.svg'],
  legalComments: 'none',
  logLevel: 'warning',
  minify,
  plugins: [assets(outdir)],
});

function fresh(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/** The package: index.js, attention.js, worker.js, their chunks, both wasm files, models/, view/, types/. */
export async function bundlePackage({ minify = true } = {}) {
  const out = at('dist');
  fresh(out);
  const entryPoints = Object.entries({
    index: 'index.js',
    attention: 'attention/index.js',
    train: 'train/index.js',
    models: 'models/index.js',
    worker: 'worker.js',
    'train-worker': 'train/train-worker.js',
    'models-worker': 'models/models-worker.js',
  });
  await esbuild({
    ...options(out, minify),
    entryPoints: entryPoints.map(([name, file]) => ({ in: join(kLib, file), out: name })),
  });
  const views = readdirSync(at('web', 'view')).filter((name) => name === 'index.js' || name.endsWith('.css'));
  await esbuild({
    ...options(join(out, 'view'), minify),
    splitting: false,
    entryPoints: views.map((name) => at('web', 'view', name)),
  });
  copyModels(join(out, 'models'), (name) => !kOfThePages.includes(name));
  await writeTypes(join(out, 'types'));
}

/** Types from the JSDoc, and those written by hand. */
async function writeTypes(out) {
  const tsc = at('node_modules', 'typescript', 'bin', 'tsc');
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', 'web', '--outDir', out];
  await run(process.execPath, [tsc, '-p', '.', ...emit]);
  // Whoever compiles against the package may have no types of Node's.
  const runtime = join(out, 'lib', 'runtime.d.ts');
  writeFileSync(runtime, readFileSync(runtime, 'utf8').replace(/typeof import\("node:[^"]+"\)/g, 'any'));
  for (const folder of ['lib', join('lib', 'models'), 'view']) {
    for (const name of readdirSync(at('web', folder)).filter((file) => file.endsWith('.d.ts'))) {
      copy(at('web', folder, name), join(out, folder, name));
    }
  }
}

/** The pages, as a static site that any server can serve. */
export async function bundleSite({ minify = true } = {}) {
  const out = at('build', 'site');
  fresh(out);
  const demo = readdirSync(at('web', 'demo'));
  const pages = new Map(demo.filter((name) => name.endsWith('.html')).map((name) => [name, wholePage(name)]));
  const scripts = [...new Set([...pages.values()].flatMap(entriesOf))];
  await esbuild({
    ...options(out, minify),
    entryPoints: [
      ...scripts.map((name) => at('web', 'demo', name)),
      { in: join(kLib, 'worker.js'), out: 'worker' },
      { in: join(kLib, 'models', 'models-worker.js'), out: 'models-worker' },
    ].map((entry) =>
      typeof entry === 'string' ? { in: entry, out: relative(at('web', 'demo'), entry).replace(/\.\w+$/, '') } : entry,
    ),
  });
  for (const [name, html] of pages) writeFileSync(join(out, name), html);
  for (const name of demo.filter((file) => /\.(svg|png|ico|webmanifest)$/.test(file))) {
    copy(at('web', 'demo', name), join(out, name));
  }
  copyModels(join(out, 'models'), () => true);
}

/** Model folders, without how they were trained. @param {string} out @param {(name: string) => boolean} wants */
function copyModels(out, wants) {
  for (const name of readdirSync(at('web', 'models')).filter(wants)) {
    const filter = (/** @type {string} */ path) => basename(path) !== 'training';
    cpSync(at('web', 'models', name), join(out, name), { recursive: true, filter });
  }
}

/**
 * A page with the parts that several pages have: `<qkv-part file="card" caption="…">more</qkv-part>` becomes parts/card.html,
 * in which `{{caption}}` is what the attribute says, nothing where there is none, and `<slot></slot>` what stands inside.
 * Where a part links to the page itself, the link says so.
 */
function wholePage(name) {
  const filled = (html) =>
    html.replace(/[ ]*<qkv-part\s+file="([\w-]+)"([^>]*)>([\s\S]*?)<\/qkv-part>\n?/g, (_, file, attributes, inside) => {
      const said = Object.fromEntries(
        [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
      );
      const part = readFileSync(at('web', 'demo', 'parts', `${file}.html`), 'utf8');
      return filled(
        part.replace(/\{\{([\w-]+)\}\}/g, (_, key) => said[key] ?? '').replace('<slot></slot>', inside.trim()),
      );
    });
  const own = `href="${name === 'index.html' ? './' : name}"`;
  const html = filled(readFileSync(at('web', 'demo', name), 'utf8'));
  if (html.includes('<qkv-part')) throw new ToolError(`${name} has a part that is not filled in`);
  return html.replace(`<a ${own}>`, `<a ${own} aria-current="page">`);
}

/** The module scripts and style sheets that a page names. @param {string} html @returns {string[]} */
function entriesOf(html) {
  const names = html.matchAll(/<(?:script[^>]*\ssrc|link[^>]*rel="stylesheet"[^>]*\shref)="([^":]+)"/g);
  return [...names].map(([, url]) => url);
}
