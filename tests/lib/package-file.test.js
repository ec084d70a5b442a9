// Where the files of the package are, from the URLs that bundlers write.

import { baseFolder, inPackage, packageFile } from '../../web/lib/base/package-file.js';

afterEach(() => delete globalThis.location);

const onPage = () => (globalThis.location = { href: 'https://example.org/some/page' });

test('the file is in the given folder, wherever the scripts are', () => {
  onPage();
  const beside = () => new URL('file:///never');
  expect(baseFolder(undefined)).toBeUndefined();
  expect(packageFile(baseFolder('/qkv'), './assets/worker.js', beside)).toBe('https://example.org/qkv/worker.js');
  expect(packageFile(baseFolder('https://cdn.example/a/'), 'x.wasm', beside)).toBe('https://cdn.example/a/x.wasm');
});

test('without a folder it is beside the scripts: in the package if a server moved them, on the page’s origin for a path', () => {
  onPage();
  const moved = 'http://localhost:5173/node_modules/.vite/deps/assets/worker.js';
  expect(inPackage(moved, 'qkv')).toBe('http://localhost:5173/node_modules/qkv/assets/worker.js');
  const tested = 'http://localhost/@fs/a/node_modules/.vite/vitest/deps_temp_1/config.json';
  expect(inPackage(tested, 'qkv-en-fr')).toBe('http://localhost/@fs/a/node_modules/qkv-en-fr/config.json');
  expect(inPackage('/_next/static/media/worker.1.js', 'qkv')).toBe(
    'https://example.org/_next/static/media/worker.1.js',
  );
  expect(inPackage('https://example.org/build/worker.js', 'qkv')).toBe('https://example.org/build/worker.js');
});

test('scripts that do not know their URL say what to do', () => {
  const beside = () => new URL('./x', undefined);
  const error = expect.objectContaining({ code: 'MISSING_FILE', where: 'baseUrl' });
  expect(() => packageFile(undefined, 'x', beside)).toThrow(error);
  expect(() => packageFile(undefined, 'x', beside)).toThrow(/keep qkv external|baseUrl/);
});
