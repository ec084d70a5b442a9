// Shared by the parts of `npm run claims`: programs that print lines of JSON, and result files.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { format } from 'prettier';
import { ToolError } from '../../web/tools/common.mjs';

/** Runs a program, shows its progress, and reads its output: one line of JSON each. */
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

/** Writes JSON as the repository's formatter does. @param {string} file @param {unknown} value */
export async function writeJson(file, value) {
  writeFileSync(file, await format(JSON.stringify(value), { parser: 'json', printWidth: 120 }));
}

export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
