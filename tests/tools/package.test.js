// The npm packages as `npm pack` makes them, used like a user does: by their names, from another folder.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build as esbuild } from 'esbuild';
import { manifestText, otherFolders, packageTexts, packages, pairsText } from '../../web/tools/model-packages.mjs';
import { ownOnly } from '../../web/tools/source-maps.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

let consumer;

beforeAll(() => {
  consumer = mkdtempSync(join(tmpdir(), 'qkv-consumer-'));
  const installed = join(consumer, 'node_modules');
  mkdirSync(installed, { recursive: true });
  symlinkSync(join(root, 'dist'), join(installed, 'qkv'));
  symlinkSync(join(root, 'web', 'models', 'en-fr'), join(installed, 'qkv-en-fr'));
  writeFileSync(join(consumer, 'package.json'), '{"type": "module"}');
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

/**
 * Runs a module in the consumer's folder, in its own process. Symlinks are not resolved, as if the packages were
 * installed.
 */
function runModule(source) {
  writeFileSync(join(consumer, 'main.js'), source);
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
  return spawnSync(process.execPath, [...flags, 'main.js'], { cwd: consumer, encoding: 'utf8' });
}

test('the five lines of the README translate, and print nothing else', () => {
  const { status, stdout, stderr } = runModule(`
    import { Translator } from 'qkv';
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
    console.log(await translator.translate('I love you.'));
    translator.destroy();
  `);
  expect(stderr).toBe('');
  expect(stdout).toBe("Je t'aime.\n");
  expect(status).toBe(0);
});

test('the same lines work from CommonJS, and with the model named', () => {
  const { status, stdout, stderr } = runModule(`
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const { Translator } = require('qkv');
    const pair = { sourceLanguage: 'en', targetLanguage: 'fr' };
    for (const model of [require('qkv-en-fr'), (await import('qkv-en-fr')).default]) {
      const translator = await Translator.create({ ...pair, model });
      console.log(translator.info.name, await translator.translate('I love you.'));
    }
    console.log(await Translator.availability(pair), await Translator.availability({ ...pair, targetLanguage: 'de' }));
    console.log(await Translator.create({ ...pair, targetLanguage: 'de' }).catch((error) => error.name + error.message));
    process.exit();
  `);
  expect(stderr).toBe('');
  const [named, same, available, error] = stdout.split('\n');
  expect([named, same]).toEqual(["en-fr Je t'aime.", "en-fr Je t'aime."]);
  expect(available).toBe('available unavailable');
  expect(error).toMatch(/^NotSupportedError.*install qkv-en-de/);
  expect(status).toBe(0);
});

test('a bundler keeps the import that installs the built-in API, and drops it where only something else is imported', async () => {
  const bundled = async (source) => {
    const stdin = { contents: source, resolveDir: consumer };
    const options = { bundle: true, format: 'esm', minify: true, write: false, platform: 'browser', logLevel: 'error' };
    const { outputFiles } = await esbuild({ stdin, ...options, preserveSymlinks: true });
    return outputFiles[0].text;
  };
  expect(await bundled("import 'qkv/translator-api/install';")).toContain('downloadprogress');
  expect(await bundled("import { install } from 'qkv/translator-api/install';")).toContain('downloadprogress');
  expect(await bundled("import { Translator } from 'qkv/translator-api';")).toBe('');
});

/** The files that a manifest's `exports` names. */
const filesIn = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(filesIn));

test.each(['dist', ...Object.keys(packages).map((name) => `web/models/${name}`)])(
  'every export of %s is a file',
  (folder) => {
    const { exports, main, types } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const files = [...filesIn(exports), main, types].filter((path) => !path.includes('*'));
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect(readFileSync(join(root, folder, file)).length).toBeGreaterThan(0);
  },
);

test('source maps have our own sources with their texts, and none of others', () => {
  const maps = readdirSync(join(root, 'dist'), { recursive: true }).filter((name) => name.endsWith('.map'));
  for (const name of maps) {
    const { sources, sourcesContent } = JSON.parse(readFileSync(join(root, 'dist', name), 'utf8'));
    expect(sourcesContent).toHaveLength(sources.length);
    for (const [i, source] of sources.entries()) {
      expect(source).toMatch(/\/web\/(lib|view)\//);
      expect(sourcesContent[i]).toMatch(/\S/);
    }
  }
});

test('a source map leads to the line of our code, and third-party code to no source', () => {
  const original = {
    sources: ['../node_modules/d3-x/x.js', '../web/lib/a.js', '../web/lib/b.js'],
    sourcesContent: ['x', 'a', 'b'],
    names: ['inX', 'inB'],
    // Columns 0 and 5 of x.js, 10 of b.js line 3, 20 of x.js, 30 of a.js line 7.
    mappings: encode([
      [
        [0, 0, 0, 0, 0],
        [5, 0, 1, 0],
        [10, 2, 2, 4, 1],
        [20, 0, 9, 0],
        [30, 1, 6, 2],
      ],
    ]),
  };
  const { mappings, ...rest } = ownOnly(original);
  expect(rest).toEqual({ sources: ['../web/lib/b.js', '../web/lib/a.js'], sourcesContent: ['b', 'a'], names: ['inB'] });
  expect(decode(mappings)).toEqual([[[0], [10, 0, 2, 4, 0], [20], [30, 1, 6, 2]]]);
});

test('the package is under 2.25 MB without models; a model is one package, without how it was trained', () => {
  const pack = (folder) => {
    const options = { encoding: 'utf8', cwd: consumer, stdio: ['ignore', 'pipe', 'ignore'] };
    const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', join(root, folder)], options));
    return { size: packed.size, paths: packed.files.map(({ path }) => path) };
  };
  const own = pack('dist');
  const detector = own.paths.find((path) => /qkv-detect-.*\.bin$/.test(path)); // a model too
  expect(own.size - gzipSync(readFileSync(join(root, 'dist', detector))).length).toBeLessThan(2_250_000);
  expect(own.paths.filter((path) => /safetensors|\.spm$/.test(path))).toEqual([]);
  expect(own.paths).toEqual(
    expect.arrayContaining(['README.md', 'LICENSE', 'THIRD_PARTY.txt', 'index.js', 'assets/worker.js']),
  );
  const { paths } = pack('web/models/en-fr');
  expect(paths).toEqual(expect.arrayContaining(['README.md', 'index.js', 'manifest.json', 'model.safetensors']));
  expect(paths.filter((path) => path.startsWith('training'))).toEqual([]);
});

test('the model packages are up to date with their models', () => {
  for (const name of Object.keys(packages)) {
    for (const [file, text] of Object.entries(packageTexts(name))) {
      expect(readFileSync(join(root, 'web', 'models', name, file), 'utf8')).toBe(text);
    }
  }
  // What a page downloads is what other programs read, packed.
  for (const name of Object.keys(packages)) {
    const read = (file) => readFileSync(join(root, 'web', 'models', name, file));
    expect(gunzipSync(read('source.spm.packed')).equals(read('source.spm'))).toBe(true);
    const listed = Object.keys(JSON.parse(read('manifest.json')).files);
    expect(listed).toEqual(['config.json', 'generation_config.json', 'model.safetensors', 'source.spm.packed']);
    expect(JSON.parse(read('package.json')).files).toEqual(expect.arrayContaining(['source.spm', 'vocab.json']));
  }
  expect(readFileSync(join(root, 'web/lib/api/pairs.js'), 'utf8')).toBe(pairsText());
  for (const folder of otherFolders()) {
    expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toBe(manifestText(folder));
  }
});

test('links of the documents in the package go to files of it', () => {
  const documents = readdirSync(join(root, 'dist'), { recursive: true }).filter((path) => path.endsWith('.md'));
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/models.md']));
  for (const name of documents) {
    const text = readFileSync(join(root, 'dist', name), 'utf8');
    for (const [, path] of text.matchAll(/\]\((?!\w+:|#)([^)#]+)/g)) {
      expect([name, path, existsSync(join(root, 'dist', dirname(name), path))]).toEqual([name, path, true]);
    }
  }
});

test('workers are classic scripts of one file, and classes keep their names', async () => {
  const assets = join(root, 'dist', 'assets');
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBe(5); // three workers, and two glues with threads
  for (const name of scripts) {
    const text = readFileSync(join(assets, name), 'utf8');
    expect(() => new Script(text)).not.toThrow(); // `import` and `export` would
    expect(text).not.toMatch(/\bimport\(|import\.meta/);
  }
  const library = await import('../../dist/models.js');
  const classes = ['Encoder', 'Generator', 'QkvError', 'Translator'];
  expect(classes.map((name) => library[name].name)).toEqual(classes);
  const { configure: _, ...api } = await import('../../dist/translator-api.js');
  expect(
    Object.values(api)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(Object.keys(api).sort());
});

test('no file needs unsafe-eval or contains a path of a machine', () => {
  const scripts = readdirSync(join(root, 'dist'), { recursive: true }).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(2);
  for (const script of scripts) {
    const source = readFileSync(join(root, 'dist', script), 'utf8');
    expect(source).not.toMatch(/\beval\(|new Function\b|\bFunction\(/);
    expect(source).not.toContain(root);
  }
});

test('has no dependencies, no install scripts, and a lock that names no registry', () => {
  expect(manifest.dependencies).toBeUndefined();
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(manifest.scripts[name]).toBeUndefined();
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const elsewhere = Object.values(lock.packages).filter((entry) => entry.resolved && !entry.link);
  expect(elsewhere).toEqual([]);
});

test('its version is that of the library and the command', async () => {
  const { version } = await import('../../web/lib/base/version.js');
  expect(version).toBe(manifest.version);
  expect(execFileSync(join(root, 'build/native/qkv'), ['--version'], { encoding: 'utf8' }).trim()).toBe(
    manifest.version,
  );
});
