// The order of folders in web/docs/architecture.md: no folder includes or imports from one below it in the list.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The folders that the page lists under `root`, in its order. */
function listed(root) {
  const lines = readFileSync(at('web/docs/architecture.md'), 'utf8').split('\n');
  const begin = lines.findIndex((line) => line.startsWith(`    ${root}`));
  const rest = lines.slice(begin + 1);
  const folders = rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith('      ')),
  );
  return folders.map((line) => line.trim().split(/\/?\s/)[0].replace(/\/$/, ''));
}

const filesIn = (root, pattern) =>
  readdirSync(at(root), { recursive: true })
    .map(String)
    .filter((name) => pattern.test(name) && !name.includes('node_modules')); // the benchmark's peers are not ours

/** All imports against the order, as 'file -> folder'. `targets` returns the folders that a file names. */
function against(root, pattern, targets) {
  const order = listed(root);
  expect(order.length).toBeGreaterThan(8);
  const place = (folder) => {
    const index = order.includes(folder) ? order.indexOf(folder) : order.indexOf(folder.split('/')[0]);
    if (index < 0) throw new Error(`${root}${folder} is not in the list`);
    return index;
  };
  const inFolders = filesIn(root, pattern).filter((name) => dirname(name) !== '.');
  expect(inFolders.length).toBeGreaterThan(50);
  return inFolders.flatMap((name) => {
    const named = targets(readFileSync(join(at(root), name), 'utf8'), name);
    return named.filter((to) => place(to) > place(dirname(name))).map((to) => `${name} -> ${to}`);
  });
}

test('no folder of the core includes from one below it', () => {
  const folders = (text) => [...text.matchAll(/^#include "core\/(\w+)\//gm)].map(([, folder]) => folder);
  expect(against('core/', /\.(cc|h)$/, folders)).toEqual([]);
});

test('no folder of the library imports from one below it, also for types', () => {
  const folders = (text, name) =>
    [...text.matchAll(/(?:from |import |import\()'(\.[^']+)'/g)]
      .map(([, path]) => normalize(join(dirname(name), path)))
      .filter((path) => !path.startsWith('..'))
      .map((path) => {
        expect(existsSync(join(at('web/lib'), path))).toBe(true);
        return relative('.', dirname(path));
      });
  expect(against('web/lib/', /\.(js|ts)$/, folders)).toEqual([]);
});

/** The modules that reach themselves. @param {Map<string, string[]>} named the modules that each module names */
function circular(named) {
  const reached = (from) => {
    const seen = new Set();
    const left = [...named.get(from)];
    while (left.length > 0) {
      const next = left.pop();
      if (!seen.has(next)) left.push(...(named.get(next) ?? []));
      seen.add(next);
    }
    return seen;
  };
  return [...named.keys()].filter((module) => reached(module).has(module));
}

test('the check finds cycles', () => {
  const named = { a: ['b'], b: ['c'], c: ['b'], d: ['a', 'e'] };
  expect(circular(new Map(Object.entries(named)))).toEqual(['b', 'c']);
});

// A header, its source and its kernels for each target (X.h, X.cc, X-inl.h) are one module.
test('no modules of the core include each other in a cycle', () => {
  const moduleOf = (name) => name.replace(/(-inl)?\.\w+$/, '');
  const includes = new Map();
  for (const name of filesIn('core/', /\.(cc|h)$/)) {
    const module = moduleOf(name);
    const text = readFileSync(at(`core/${name}`), 'utf8');
    const named = [...text.matchAll(/^#include "core\/([^"]+)"/gm)].map(([, path]) => moduleOf(path));
    includes.set(module, [...(includes.get(module) ?? []), ...named.filter((path) => path !== module)]);
  }
  expect(includes.size).toBeGreaterThan(100);
  expect(circular(includes)).toEqual([]);
});

// Types may refer to each other: they are in comments.
test.each(['web', 'tests'])('no modules in %s import each other in a circle, later imports included', (root) => {
  const imports = new Map();
  for (const name of filesIn(root, /\.m?js$/)) {
    const text = readFileSync(join(at(root), name), 'utf8').replaceAll(/\/\*\*.*?\*\//gs, '');
    const named = [...text.matchAll(/(?:from |import |import\()'(\.[^']+)'/g)];
    imports.set(
      name,
      named.map(([, path]) => normalize(join(dirname(name), path))),
    );
  }
  expect(imports.size).toBeGreaterThan(100);
  expect(circular(imports)).toEqual([]);
});
