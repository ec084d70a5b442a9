// Shared by the project's tools. It uses only Node's own modules, because it runs before `npm ci`.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const at = (/** @type {string[]} */ ...parts) => join(root, ...parts);

/** Prints a step and its time: minutes and seconds since the start. @param {string} text */
export function say(text) {
  const seconds = Math.floor(performance.now() / 1000);
  const line = `[${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}] ${text}`;
  console.log(process.stdout.isTTY ? `\x1b[1m${line}\x1b[0m` : line);
}

/** An error with a message for the user. It needs no stack. */
export class ToolError extends Error {}

/**
 * Runs a command in the root of the repository, and shows its output.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & {check?: boolean}} [options] check: whether to reject unless it exits with 0
 * @returns {Promise<number>} the exit code
 */
export function run(command, args, { check = true, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    child.on('error', (error) => reject(new ToolError(`${command}: ${error.message}`)));
    child.on('exit', (code, signal) => {
      if (check && code !== 0) reject(new ToolError(`${command} ${args[0] ?? ''} failed (${signal ?? code})`));
      else resolve(code ?? 1);
    });
  });
}

/**
 * Ends the process with the error's message, and with its stack if it is not one of ours.
 * @param {unknown} error
 * @returns {never}
 */
export function fail(error) {
  console.error(error instanceof ToolError ? error.message : error);
  process.exit(1);
}

/**
 * Installs the packages of the lock file, unless node_modules has them. Then installs the missing parts of the toolchain.
 */
export async function setUp({ tests = false } = {}) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new ToolError(`qkv is built with Node 20.19 or newer; this is ${process.versions.node}.`);
  }
  const lock = createHash('sha256')
    .update(readFileSync(at('package-lock.json')))
    .digest('hex');
  const stamp = at('node_modules', '.lock-hash');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
    say('npm ci');
    await run('npm', ['ci', '--loglevel=error']);
    writeFileSync(stamp, lock);
  }
  say('setup');
  await run('bash', ['wasm/toolchain/setup.sh', ...(tests ? ['--tests'] : [])]);
}

/**
 * Builds a preset of CMakePresets.json, and configures it before if necessary; returns its folder. With QKV_WERROR in the
 * environment the compiler's warnings are errors.
 * @param {string} preset
 * @param {string[]} targets empty: all
 */
export async function cmake(preset, targets = []) {
  const folder = at('build', preset.replace('-', preset.startsWith('wasm') ? '/' : '-'));
  // A configured folder contains the paths of its toolchain. Another toolchain needs a new folder.
  const stamp = join(folder, 'toolchain.txt');
  const toolchain = existsSync(at('build', 'toolchain')) ? realpathSync(at('build', 'toolchain')) : 'system';
  if (!existsSync(join(folder, 'build.ninja')) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== toolchain) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const strict = process.env.QKV_WERROR ? ['-DQKV_WERROR=ON'] : [];
    await run('cmake', ['--preset', preset, '--log-level=WARNING', ...strict], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    writeFileSync(stamp, toolchain);
  }
  const chosen = targets.length > 0 ? ['--target', ...targets] : [];
  await run('cmake', ['--build', folder, '-j', String(availableParallelism()), ...chosen]);
  return folder;
}
