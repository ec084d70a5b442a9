#!/usr/bin/env node
// `npx qkv`: the sources of the native command, compiled to WebAssembly, in Node. Options, messages and exit codes are
// those of the native command.
import fs, { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import createCommand from './command.mjs';
import { threads } from './threads.js';
import { serveDemo } from './demo.js';

/** The commands that need the native build. */
const kNative = ['detect', 'evaluate', 'export', 'shortlist', 'train', 'vocab'];

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

const { writeSync } = fs;
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
fs.writeSync = /** @type {any} */ (writeWaiting);

/** Runs the command. @param {string[]} given @returns {Promise<number>} its exit code */
async function run(given) {
  const command = await createCommand({ preRun: [(module) => Object.assign(module.ENV, process.env)], threads });
  const status = command.callMain(given);
  if (status === 0 && command.serve) return serveDemo(command.serve);
  return status;
}

const given = withFolders(process.argv.slice(2));
if (kNative.includes(given[0])) {
  console.error(`qkv: ${given[0]} needs the native command, which the repository builds`);
  process.exitCode = 2;
} else {
  // Errors have been printed. Anything thrown is a fault of WebAssembly, such as no more memory.
  process.exitCode = await run(given).catch((error) => {
    console.error(`qkv: the command failed: ${error.message}`);
    return 1;
  });
  // A worker works until the main thread ends: one that comes here has failed.
  if (threads.isWorker) threads.send(0, new Uint8Array(0));
}
