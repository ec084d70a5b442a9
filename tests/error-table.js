// The tables of web/docs/errors.md. Tests compare them with the real errors.
import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../web/docs/errors.md', import.meta.url), 'utf8');

/**
 * The rows under a heading: each error by a part of its message.
 * @param {'Causes' | 'Causes in browsers'} heading
 * @returns {Map<string, {name: string, code: string}>}
 */
export function errorTable(heading) {
  const section = text.split(`\n## ${heading}\n`)[1].split('\n## ')[0];
  const rows = section.matchAll(/^\| `([^`]+)` \| (\w+), (\w+) \|/gm);
  return new Map([...rows].map(([, says, name, code]) => [says, { name, code }]));
}

/** An error in the form of a row. */
export const rowOf = (error) => ({ name: error.name, code: error.cause?.code ?? error.code });
