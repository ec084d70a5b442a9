#!/usr/bin/env node
// `npx qkv`: the sources of the native command, compiled to WebAssembly, in Node. Options, messages and exit codes are
// those of the native command.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import createCommand from './command.mjs';

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
      return name; // the command says what is wrong with it
    }
  };
  return given.map((argument, i) => {
    const [, option, name] = /^(--model=)(.*)$/s.exec(argument) ?? [];
    if (option) return option + folderOf(name);
    return ['--model', '-m'].includes(given[i - 1]) ? folderOf(argument) : argument;
  });
}

/** Runs the command. @param {string[]} given @returns {Promise<number>} its exit code */
async function run(given) {
  const command = await createCommand({
    preRun: [(/** @type {any} */ module) => Object.assign(module.ENV, process.env)],
  });
  return command.callMain(given);
}

const given = withFolders(process.argv.slice(2));
if (kNative.includes(given[0])) {
  console.error(`qkv: ${given[0]} needs the native command, which the repository builds`);
  process.exitCode = 2;
} else {
  // Errors have been printed; what is thrown is a fault of WebAssembly's, such as no more memory.
  process.exitCode = await run(given).catch((error) => {
    console.error(`qkv: the command failed: ${error.message}`);
    return 1;
  });
}
