// What parts of `npm run claims` share: programs whose lines are JSON, and files of results.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { format } from 'prettier';
import { ToolError } from '../../web/tools/common.mjs';

/** Runs a program, its progress shown, and reads its output: a line of JSON each. */
export async function jsonLines(program, args = []) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const rows = [];
  for await (const line of createInterface({ input: child.stdout })) rows.push(JSON.parse(line));
  const code = await ended;
  if (code !== 0) throw new ToolError(`${program} failed (${code})`);
  return rows;
}

/** Writes JSON as the formatter of the repository would. @param {string} file @param {unknown} value */
export async function writeJson(file, value) {
  writeFileSync(file, await format(JSON.stringify(value), { parser: 'json', printWidth: 120 }));
}

export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
