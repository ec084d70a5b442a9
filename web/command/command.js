// The command in a thread of its own, or in one of those that translate lines for it.
import fs, { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { MainThread } from './main_thread.js';
import { threads } from './threads.js';

/**
 * The arguments, where the name of an installed model package stands for its folder: `--model qkv-en-fr`.
 * @param {string[]} given
 */
function withFolders(given) {
  const { resolve } = createRequire(join(process.cwd(), 'x.js'));
  const folderOf = (/** @type {string} */ name) => {
    if (existsSync(name) || !/^(@[\w-]+\/)?[\w-]+$/.test(name)) return name;
    try {
      return dirname(resolve(`${name}/package.json`));
    } catch {
      return name; // the command reports the error
    }
  };
  return given.map((argument, i) => {
    const [, option, name] = /^(--model=)(.*)$/s.exec(argument) ?? [];
    if (option) return option + folderOf(name);
    return ['--model', '-m'].includes(given[i - 1]) ? folderOf(argument) : argument;
  });
}

const { closeSync, writeSync } = fs;
/**
 * Closes a file, but not the standard streams: WebAssembly closes all files when the command ends, and the main thread may still
 * be about to read standard input. The glue calls this.
 * @param {number} file
 */
function closeOwn(file) {
  if (file > 2) closeSync(file);
}

/**
 * Writes as Node does, but waits where Node would throw: standard output may be a pipe that does not block and is full. The glue
 * calls this.
 * @param {any[]} given
 */
function writeWaiting(...given) {
  for (;;) {
    try {
      return Reflect.apply(writeSync, fs, given);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** Runs the command. */
export async function runCommand() {
  fs.writeSync = /** @type {any} */ (writeWaiting);
  fs.closeSync = closeOwn;
  const mainThread = threads.isWorker ? null : new MainThread();
  try {
    const { default: createCommand } = await import('./command.mjs');
    const preRun = [(/** @type {import('./command.mjs').Command} */ module) => Object.assign(module.ENV, process.env)];
    const command = await createCommand({ preRun, threads, mainThread });
    const status = command.callMain(withFolders(process.argv.slice(2)));
    mainThread?.end(status, command.serve);
  } catch (error) {
    // Errors have been printed. Anything thrown is a fault of WebAssembly, such as no more memory.
    fs.writeSync(2, `qkv: the command failed: ${/** @type {Error} */ (error).message}\n`);
    mainThread?.end(1);
  }
  // A worker works until the command ends: one that comes here has failed.
  if (threads.isWorker) threads.send(0, new Uint8Array(0));
}
