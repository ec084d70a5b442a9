// The rows of the matrix: the hosts and bundlers in which the package is tested, each in its own project.

import { spawn } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../web/tools/common.mjs';
import { serve } from '../../web/tools/serve.mjs';
import { askExtension } from './extension.mjs';
import { filesOf, kTranslation, read, readFolder, readPage, shell, tarballs, typeInto } from './harness.mjs';
import { dependenciesOf } from './projects.mjs';

/**
 * `files`: folders of projects/, or examples, of which later ones replace files of earlier ones. `dependencies`: npm's, pinned; a row
 * without any needs no registry. `needs`: what a user has to do beside importing.
 * @typedef {object} Row
 * @property {string} name
 * @property {string} title
 * @property {string} [page] its document, where several rows share one
 * @property {string[]} files
 * @property {Record<string, string>} [dependencies]
 * @property {object} [manifest]
 * @property {string} needs
 * @property {Record<string, (folder: string) => Promise<string>>} checks each gives 'yes', or says what is wrong
 */

/** Installed in this repository: a row that needs nothing else needs no registry. */
const kEsbuild = at('node_modules', '.bin', 'esbuild');

const same = (text, expected) => (text === expected ? 'yes' : `"${text}" instead of "${expected}"`);

/** A check together with the command that it runs, for the documents. */
const withCommand = (command, check) => Object.assign(check, { command });

/** Builds: the command exits with 0 and prints no warning about this package. */
const build = (command) =>
  withCommand(command, async (folder) => {
    const { code, output } = await shell(command, folder);
    if (code !== 0) return `the build failed: ${output.slice(-1500)}`;
    const warned = output.split('\n').filter((line) => /warning/i.test(line) && /qkv|dynamic|import\.meta/.test(line));
    return warned.length === 0 ? 'yes' : warned.join('\n');
  });

/** The page shows the expected text and reports nothing. */
const page = ({ text, complaints }, expected) =>
  complaints.length > 0 ? [text, ...complaints].join('; ') : same(text, expected);

const translates = (out) => async (folder) => page(await readFolder(join(folder, out)), `${kTranslation} 1`);
const threads = (out) => async (folder) =>
  page(await readFolder(join(folder, out), { isolated: true }), `${kTranslation} 2`);

/** Runs a development server while its page is read. */
const develops = (command, port, expected = `${kTranslation} 1`) =>
  withCommand(command, async (folder) => {
    const bin = join(folder, 'node_modules', '.bin');
    const child = spawn('sh', ['-c', `exec ${command}`], {
      cwd: folder,
      detached: true,
      stdio: 'ignore',
      env: {
        ...process.env,
        PATH: `${bin}:${process.env.PATH}`,
        NEXT_TELEMETRY_DISABLED: '1',
        NG_CLI_ANALYTICS: 'false',
      },
    });
    try {
      await answers(`http://localhost:${port}/`);
      const first = await readPage(`http://localhost:${port}/`);
      // A server that finds dependencies on the first visit may reload the page.
      const last = page(first, expected) === 'yes' ? first : await readPage(`http://localhost:${port}/`);
      return page(last, expected);
    } finally {
      if (child.exitCode === null) process.kill(-child.pid, 'SIGKILL'); // with all processes that it started
    }
  });

async function answers(url) {
  for (let round = 0; round < 240; ++round) {
    if (await fetch(url).then((response) => response.ok, () => false)) return; // prettier-ignore
    await new Promise((later) => setTimeout(later, 500));
  }
  throw new Error(`${url} does not answer`);
}

const kCopy = 'cp -r node_modules/qkv/assets out/qkv && cp -r node_modules/qkv-en-fr out/qkv/en-fr';
const kPage = 'mkdir -p out && cp index.html out/';
const inPage = (out) => ({ translation: translates(out), threads: threads(out) });
const prints = (command) =>
  withCommand(command, async (folder) => same((await shell(command, folder)).output, kTranslation));

/** The build contains these files of the package and of a model, and no others. */
const holds = (out, expected) => async (folder) => {
  const names = filesOf(join(folder, out)).map(({ name }) => name);
  const kinds = names.filter((name) => /\.(wasm|safetensors)$|worker/.test(name) && !name.endsWith('.map'));
  return same(kinds.length, expected);
};

/** The repository's own compiler reports nothing. */
const compiles = (how) => (folder) => {
  const types = `--types node --typeRoots ${at('node_modules', '@types')}`;
  return quiet(`${at('node_modules', '.bin', 'tsc')} --strict --noEmit --target es2022 ${types} ${how}`, folder);
};
const quiet = async (command, folder) => same((await shell(command, folder)).output, '');

/** A package checker prints these words. */
const finds = (command, words, name) => async (folder) => {
  if (name) cpSync((await tarballs())[name], join(folder, `${name}.tgz`));
  const { code, output } = await shell(command, folder);
  return code === 0 && output.includes(words) ? 'yes' : output;
};

/** @param {string} version @param {string} title */
const vite = (version, title, port) => ({
  name: title.toLowerCase().replace(' ', '-'),
  title,
  page: 'vite',
  files: ['page'],
  dependencies: { vite: version },
  needs: 'nothing',
  checks: {
    build: build('vite build --base ./'),
    ...inPage('dist'),
    development: develops(`vite --port ${port} --strictPort`, port),
  },
});

/** A page that translates the text that is typed into it. @param {string} out the folder that is served */
const translatesTyped = (out) => ({
  translation: async (folder) => page(await readFolder(join(folder, out)), kTranslation),
  typing: async (folder) => same(await typeInto(join(folder, out), 'Thank you!', kTranslation), 'Merci !'),
});

/**
 * An example, as users read it in examples/. @param {string} name @param {string} title @param {Row['checks']} checks
 */
const example = (name, title, checks, needs = 'nothing') => ({
  name: `example-${name}`,
  title,
  files: [`examples/${name}`],
  dependencies: dependenciesOf(`examples/${name}`),
  needs,
  checks,
});

/** An example that Vite builds. @param {string} name @param {string} title @param {number} port */
const viteExample = (name, title, port) =>
  example(name, title, {
    build: build('vite build'),
    ...translatesTyped('dist'),
    development: develops(`vite --port ${port} --strictPort`, port, kTranslation),
  });

/** @type {Row[]} */
export const rows = [
  viteExample('react', 'React 19', 5221),
  viteExample('vue', 'Vue 3', 5222),
  viteExample('svelte', 'Svelte 5', 5223),
  example('page', 'A page in one file', { translation: fromNetwork }),
  example('worker', 'A worker of one’s own', translatesTyped('.')),
  example('node', 'A script in Node', { translation: prints("echo 'I love you.' | node translate.js") }),
  example(
    'extension',
    'An extension with a menu item',
    { translation: async (folder) => same(await askExtension(folder), kTranslation) },
    '`qkv/static`',
  ),
  vite('5.4.21', 'Vite 5', 5205),
  vite('6.4.6', 'Vite 6', 5206),
  vite('7.3.8', 'Vite 7', 5207),
  vite('8.3.8', 'Vite 8', 5208),
  {
    name: 'webpack-5',
    title: 'webpack 5',
    files: ['page'],
    dependencies: { webpack: '5.112.2', 'webpack-cli': '6.0.1' },
    needs: 'nothing',
    checks: {
      build: build(
        `webpack build --mode production --entry ./main.js -o out && sed 's/ type="module"//' index.html > out/index.html`,
      ),
      ...inPage('out'),
    },
  },
  ...[
    { name: 'webpack-attention', command: 'webpack build --mode production --entry ./main.js -o out' },
    { name: 'vite-attention', command: 'vite build --outDir out' },
  ].map(({ name, command }) => ({
    name,
    title: `\`qkv/attention\` alone, by ${name.split('-')[0]}`,
    page: 'attention',
    files: ['attention'],
    dependencies: name.startsWith('vite') ? { vite: '8.3.8' } : { webpack: '5.112.2', 'webpack-cli': '6.0.1' },
    needs: 'nothing',
    checks: { build: build(command), 'three WebAssembly files and no worker': holds('out', 3) },
  })),
  {
    name: 'parcel-2',
    title: 'Parcel 2',
    files: ['page', 'parcel'],
    dependencies: { parcel: '2.16.4' },
    needs: 'three lines in .parcelrc',
    checks: { build: build('parcel build index.html --dist-dir out --public-url ./'), ...inPage('out') },
  },
  {
    name: 'rollup-4',
    title: 'Rollup 4',
    files: ['copied', 'rollup'],
    dependencies: { rollup: '4.68.7', '@rollup/plugin-node-resolve': '16.0.3' },
    needs: '`cp` and `baseUrl`',
    checks: { build: build(`rollup -c && ${kPage} && ${kCopy}`), ...inPage('out') },
  },
  {
    name: 'esbuild',
    title: 'esbuild, for browsers',
    files: ['copied'],
    needs: '`cp` and `baseUrl`',
    checks: {
      build: build(`${kEsbuild} main.js --bundle --format=esm --outdir=out && ${kPage} && ${kCopy}`),
      ...inPage('out'),
      'says what to do': async (folder) => {
        rmSync(join(folder, 'out', 'qkv'), { recursive: true });
        const { text } = await readFolder(join(folder, 'out'));
        return /cp|copy node_modules\/qkv\/assets/.test(text) && text.includes('baseUrl') ? 'yes' : text;
      },
    },
  },
  {
    name: 'esbuild-attention',
    title: '`qkv/attention` alone, by esbuild',
    files: ['attention'],
    needs: '`cp`',
    checks: {
      build: build(
        `${kEsbuild} main.js --bundle --format=esm --outdir=out && ${kPage} && cp -r node_modules/qkv/assets out/assets`,
      ),
      result: async (folder) => page(await readFolder(join(folder, 'out')), '2 3'),
    },
  },
  {
    name: 'esbuild-node',
    title: 'esbuild, for Node',
    files: ['esbuild-node'],
    manifest: { type: 'commonjs' },
    needs: '`cp` and `baseUrl`',
    checks: {
      build: build(`${kEsbuild} main.js --bundle --platform=node --log-level=error --outfile=out/main.js && ${kCopy}`),
      translation: prints('node out/main.js'),
      'says what to do': async (folder) => {
        rmSync(join(folder, 'out', 'qkv'), { recursive: true });
        const { output } = await shell('node out/main.js', folder);
        return output.includes('qkv') ? 'yes' : output;
      },
    },
  },
  ...['webpack', 'turbopack'].map((bundler) => ({
    name: `next-${bundler}`,
    title: `Next 16, ${bundler}`,
    page: 'next',
    files: ['next'],
    dependencies: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
    needs: 'nothing',
    checks: {
      build: build(`next build --${bundler}`),
      ...inPage('out'),
      development: develops(`next dev --${bundler} --port 5216`, 5216),
    },
  })),
  {
    name: 'sveltekit',
    title: 'SvelteKit 2',
    files: ['sveltekit'],
    dependencies: {
      '@sveltejs/kit': '2.70.4',
      '@sveltejs/adapter-static': '3.0.9',
      '@sveltejs/vite-plugin-svelte': '6.2.3',
      svelte: '5.57.3',
      vite: '7.3.8',
    },
    needs: 'nothing',
    checks: {
      build: build('vite build'),
      ...inPage('build'),
      development: develops('vite --port 5217 --strictPort', 5217),
    },
  },
  {
    name: 'astro',
    title: 'Astro 5',
    files: ['astro'],
    dependencies: { astro: '5.9.4' },
    needs: 'nothing',
    checks: {
      build: build('astro build'),
      ...inPage('dist'),
      development: develops('astro dev --port 5218', 5218),
    },
  },
  {
    name: 'angular',
    title: 'Angular 20',
    files: ['angular'],
    dependencies: {
      '@angular/build': '20.3.41',
      '@angular/cli': '20.3.41',
      '@angular/common': '20.3.35',
      '@angular/compiler': '20.3.35',
      '@angular/compiler-cli': '20.3.35',
      '@angular/core': '20.3.35',
      '@angular/platform-browser': '20.3.35',
      rxjs: '7.8.2',
      typescript: '5.9.3',
    },
    needs: '`assets` in angular.json and `baseUrl`',
    checks: {
      build: build('ng build'),
      ...inPage('out/browser'),
      development: develops('ng serve --port 5219', 5219),
    },
  },
  {
    name: 'import-map',
    title: 'No bundler, an import map',
    files: ['page', 'importmap'],
    needs: 'nothing',
    checks: inPage('.'),
  },
  {
    name: 'cdn',
    title: 'Scripts from another origin',
    files: ['page'],
    needs: 'CORS',
    checks: { translation: fromElsewhere(false, 1), threads: fromElsewhere(true, 2) },
  },
  {
    name: 'sandbox',
    title: 'A sandboxed frame',
    files: ['sandbox'],
    needs: 'CORS',
    checks: {
      translation: async (folder) =>
        page(await readFolder(folder, { headers: { 'access-control-allow-origin': '*' } }), kTranslation),
    },
  },
  {
    name: 'service-worker',
    title: 'A service worker',
    files: ['service-worker'],
    needs: '`qkv/static`',
    checks: { translation: async (folder) => page(await readFolder(folder), kTranslation) },
  },
  {
    name: 'extension',
    title: 'An extension’s background (MV3)',
    files: ['extension'],
    needs: '`qkv/static`',
    checks: { translation: async (folder) => same(await askExtension(folder), kTranslation) },
  },
  {
    name: 'node',
    title: 'Node, ESM',
    page: 'node',
    files: ['node'],
    needs: 'nothing',
    checks: { translation: prints('node main.mjs') },
  },
  {
    name: 'node-cjs',
    title: 'Node, CommonJS',
    page: 'node',
    files: ['node'],
    needs: 'nothing',
    checks: { translation: prints('node main.cjs') },
  },
  {
    name: 'node-worker',
    title: 'Node, worker_threads',
    page: 'node',
    files: ['node'],
    needs: 'nothing',
    checks: { translation: prints('node worker.mjs') },
  },
  {
    name: 'typescript',
    title: 'TypeScript, strict, without types of the DOM',
    files: ['typescript'],
    needs: 'nothing',
    checks: {
      'node16, ESM': compiles('--module node16 --lib es2022 main.ts'),
      'node16, CommonJS': compiles('--module node16 --lib es2022 main.cts'),
      'bundler, with the DOM': compiles(
        '--module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable main.ts',
      ),
    },
  },
  {
    name: 'manifest',
    title: 'publint and arethetypeswrong',
    files: [],
    dependencies: { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' },
    needs: 'nothing',
    checks: Object.fromEntries(
      ['qkv', 'qkv-en-fr'].flatMap((name) => [
        [`publint ${name}`, finds(`publint run --strict node_modules/${name}`, 'All good!')],
        [`attw ${name}`, finds(`attw --no-color ${name}.tgz`, 'No problems found', name)],
      ]),
    ),
  },
  {
    name: 'bun',
    title: 'Bun',
    page: 'node',
    files: ['node'],
    dependencies: { bun: '1.4.5' },
    needs: 'nothing',
    checks: { translation: prints('bun main.mjs') },
  },
  {
    name: 'deno',
    title: 'Deno',
    page: 'node',
    files: ['node'],
    dependencies: { deno: '2.9.6' },
    needs: '`--allow-all`, or reading and the environment',
    checks: { translation: prints('deno run --quiet --allow-all --node-modules-dir=manual main.mjs') },
  },
];

/** A page whose modules come from a content delivery network, replaced here by another origin. */
async function fromNetwork(folder) {
  const cors = { 'access-control-allow-origin': '*' };
  const other = await serve(join(folder, 'node_modules'), { headers: cors });
  try {
    const html = read(folder, 'index.html');
    const here = html.replaceAll(/https:\/\/[\w.]+\/npm\/(qkv[\w-]*)@[\d.]+\//g, (_, name) => `${other.url}${name}/`);
    if (here === html) return 'the page names no network';
    writeFileSync(join(folder, 'index.html'), here);
    const { typing } = translatesTyped('.');
    return await typing(folder);
  } finally {
    await other.close();
  }
}

/** The page on one origin, the packages on another. */
function fromElsewhere(isolated, expected) {
  return async (folder) => {
    const cors = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
    const other = await serve(join(folder, 'node_modules'), { headers: cors });
    try {
      const imports = { qkv: `${other.url}qkv/index.js`, 'qkv-en-fr': `${other.url}qkv-en-fr/index.js` };
      const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
      const html = read(folder, 'index.html').replace('<p></p>', `<p></p>${map}`);
      writeFileSync(join(folder, 'elsewhere.html'), html);
      return page(await readFolder(folder, { isolated }, 'elsewhere.html'), `${kTranslation} ${expected}`);
    } finally {
      await other.close();
    }
  };
}
