// The options of the attention family are lists in the core. All other places that name them must have the same names.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { equationsOf } from '../../web/demo/attention/equations.js';
import { kAllowed } from '../../web/demo/attention/link.js';
import { stateOfPreset } from '../../web/demo/attention/presets.js';
import { scores, selections, windows } from '../../web/lib/attention/index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

const { stdout } = spawnSync(join(root, 'build/native/qkv'), ['scores', '--json'], { encoding: 'utf8' });
const list = JSON.parse(stdout);
const lists = {
  score: list.scores.map(({ name }) => name),
  selection: list.selections,
  window: list.windows,
};
const kinds = Object.keys(lists);

test('the engine of JavaScript has the same lists', async () => {
  expect((await scores()).map(({ name }) => name)).toEqual(lists.score);
  expect(await selections()).toEqual(lists.selection);
  expect(await windows()).toEqual(lists.window);
});

test.each(kinds)('the type of a %s', (kind) => {
  const type = `${kind[0].toUpperCase()}${kind.slice(1)}Name`;
  const [, names] = new RegExp(`@typedef \\{([^}]+)\\} ${type} `).exec(read('web/lib/attention/options.js'));
  expect(
    names
      .split('|')
      .map((name) => name.trim().slice(1, -1))
      .toSorted(),
  ).toEqual(lists[kind].toSorted());
});

test.each(kinds)('a link of the page may name every %s', (kind) => {
  expect(kAllowed[kind].toSorted()).toEqual(lists[kind].toSorted());
});

test.each(lists.score)('the page has the equation of %s', (score) => {
  const sources = equationsOf({ ...stateOfPreset('playground'), score }).map(({ source }) => source);
  expect(sources.join('\n')).not.toContain('undefined');
});

// A score's name as each file writes it.
const kPlaces = {
  'web/demo/attention/explain.js': (name) => `case '${name}':`,
  'web/docs/attention.md': (name) => `\n// ${name}`,
  'tests/core/attention_bounds.h': (name) => `"${name}"`,
  'tests/oracle/attention_family.py': (name) => `"${name}":`,
  'tests/oracle/make_attention_gradient_goldens.py': (name) => `"${name}":`,
  'tests/goldens/attention.json': (name) => `"${name}"`,
  'tests/goldens/attention-gradients.json': (name) => `"${name}"`,
};
test.each(Object.entries(kPlaces))('%s has every score', (path, written) => {
  const text = read(path);
  expect(lists.score.filter((name) => !text.includes(written(name)))).toEqual([]);
});

test('each score is a file of the core', () => {
  const files = readdirSync(join(root, 'core/attention/scores')).map((file) => file.replace('.cc', ''));
  expect(files.toSorted()).toEqual(lists.score.map((name) => name.replaceAll('-', '_')).toSorted());
});
