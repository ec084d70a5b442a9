// The npm package as `npm pack` would ship it, used as a stranger would: by its name, from another folder.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

let consumer;

beforeAll(() => {
  consumer = mkdtempSync(join(tmpdir(), 'qkv-consumer-'));
  const installed = join(consumer, 'node_modules', 'qkv');
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  symlinkSync(join(root, 'dist'), join(installed, 'dist'));
  writeFileSync(join(consumer, 'package.json'), '{"type": "module"}');
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

/** Runs a module in the consumer's folder, in a process of its own; symlinks stay what they are, as if installed. */
function runModule(source) {
  writeFileSync(join(consumer, 'main.js'), source);
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
  return spawnSync(process.execPath, [...flags, 'main.js'], { cwd: consumer, encoding: 'utf8' });
}

test('five lines translate, and say nothing else', () => {
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

test('every export is a file', () => {
  const files = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? entry : Object.values(entry),
  );
  for (const file of files.filter((path) => !path.includes('*'))) expect(readFileSync(join(root, file))).toBeTruthy();
  expect(readdirSync(join(root, 'dist', 'models'))).toEqual(['en-de', 'en-es', 'en-fr']); // the others are the pages'
  expect(readdirSync(join(root, 'dist', 'models', 'en-fr'))).toEqual(
    expect.arrayContaining(['README.md', 'config.json', 'model.safetensors', 'source.spm', 'vocab.json']),
  );
});

test('nothing in it needs unsafe-eval or names a machine', () => {
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
  expect(Object.values(lock.packages).filter((entry) => entry.resolved)).toEqual([]);
});

test('its version is the one the library and the command say', async () => {
  const { version } = await import('../../web/lib/version.js');
  expect(version).toBe(manifest.version);
  expect(execFileSync(join(root, 'build/native/qkv'), ['--version'], { encoding: 'utf8' }).trim()).toBe(
    manifest.version,
  );
});
