// The documents that the matrix makes: a page for each bundler and host with the tested project, and the table of what
// works where.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../web/tools/common.mjs';
import { rows } from './matrix.mjs';
import { folderOf } from './projects.mjs';

const kResults = at('tests', 'hosts', 'results.json');
const kDocument = at('web', 'docs', 'hosts.md');
const kTable = /(<!-- made by the matrix -->\n)[\s\S]*$/;

/** What each row's checks found in their last run. @returns {Record<string, Record<string, string>>} */
const results = () => (existsSync(kResults) ? JSON.parse(readFileSync(kResults, 'utf8')) : {});

/** Stores what a row's checks found: 'yes' or 'no'. */
export function keep(row, found) {
  const outcomes = Object.entries(found).map(([check, outcome]) => [check, outcome === 'yes' ? 'yes' : 'no']);
  const all = { ...results(), [row.name]: Object.fromEntries(outcomes) };
  const inOrder = rows.filter(({ name }) => name in all).map(({ name }) => [name, all[name]]);
  writeFileSync(kResults, `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`);
}

const pageOf = (row) => row.page ?? row.name;

/** The documents' texts, by their paths in web/docs. @returns {Record<string, string>} */
export function documents() {
  const names = [...new Set(rows.map(pageOf))];
  const texts = names.map((name) => [`hosts/${name}.md`, hostPage(rows.filter((row) => pageOf(row) === name))]);
  const main = readFileSync(kDocument, 'utf8').replace(kTable, (_, marker) => marker + table());
  return { 'hosts.md': main, ...Object.fromEntries(texts) };
}

export function writeDocuments() {
  rmSync(at('web', 'docs', 'hosts'), { recursive: true, force: true });
  mkdirSync(at('web', 'docs', 'hosts'));
  for (const [path, text] of Object.entries(documents())) writeFileSync(at('web', 'docs', path), text);
}

const kColumns = ['build', 'translation', 'threads', 'development'];

/** A line for each row; a column that a row does not have is empty. */
function table() {
  const found = results();
  const known = rows.filter(({ name }) => name in found);
  const lines = known.map((row) => {
    const { build = '', translation = '', threads = '', development = '', ...others } = found[row.name];
    const more = Object.entries(others).map(([check, outcome]) => (outcome === 'yes' ? check : `not: ${check}`));
    const cells = [build, translation, threads, development, more.join(', '), row.needs];
    return `| [${row.title}](hosts/${pageOf(row)}.md) | ${cells.join(' | ')} |\n`;
  });
  const titles = ['', ...kColumns.map((name) => (name === 'threads' ? 'two threads' : name)), 'more', 'needs'];
  return `\n| ${titles.join(' | ')} |\n|${' --- |'.repeat(titles.length)}\n${lines.join('')}`;
}

/** @param {import('./matrix.mjs').Row[]} tried rows of one project */
function hostPage(tried) {
  const [row] = tried;
  const isOne = tried.every(({ files }) => files.join() === row.files.join());
  const parts = (isOne ? [row] : tried).map((one) => project(one, isOne ? tried : [one]));
  return `<!-- made by tests/hosts/docs.mjs -->\n\n${parts.join('\n')}`;
}

function project(row, tried) {
  const title = `# ${tried.map(({ title }) => title).join('; ')}\n`;
  const installs = tried.map(({ dependencies = {} }) => {
    const names = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
    return names.length > 0 ? `    npm install --save-dev ${names.join(' ')}\n` : '';
  });
  const commands = [...new Set(tried.flatMap(({ checks }) => Object.values(checks).map(({ command }) => command)))];
  const lines = commands
    .filter(Boolean)
    .map((command) => `    ${command.replaceAll(at('node_modules', '.bin', 'esbuild'), 'esbuild')}\n`);
  const files = Object.entries(filesOf(row)).map(([path, text]) => block(path, text));
  const needs = row.needs === 'nothing' ? '' : `It needs ${row.needs}.\n\n`;
  return `${title}\n${needs}    npm install qkv qkv-en-fr\n${installs.join('')}${lines.join('')}\n${files.join('\n')}`;
}

/** The texts of a row's files, by their paths. @returns {Record<string, string>} */
function filesOf({ files }) {
  const texts = {};
  for (const folder of files.map(folderOf)) {
    for (const path of readdirSync(folder, { recursive: true }).toSorted()) {
      const file = join(folder, path);
      if (statSync(file).isFile() && !path.endsWith('.svg')) texts[path] = readFileSync(file, 'utf8');
    }
  }
  return texts;
}

const block = (path, text) => {
  const language = /\.(\w+)$/.exec(path)?.[1] ?? 'json';
  return `\`${path}\`\n\n\`\`\`${language === 'parcelrc' ? 'json' : language}\n${text}\`\`\`\n`;
};
