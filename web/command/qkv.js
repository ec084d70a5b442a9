#!/usr/bin/env node
// `npx qkv`: the sources of the native command, compiled to WebAssembly, in Node. Options, messages and exit codes are
// those of the native command.
import { isMainThread } from 'node:worker_threads';
import { runCommand } from './command.js';
import { serveDemo } from './demo.js';
import { runInThread } from './main_thread.js';

/** The commands that need the native build. */
const kNative = ['detect', 'evaluate', 'export', 'shortlist', 'train', 'vocab'];

/** Runs the command in a thread; ends the process unless it serves pages. */
async function main() {
  const name = process.argv[2];
  if (kNative.includes(name)) {
    console.error(`qkv: ${name} needs the native command, which the repository builds`);
    return 2;
  }
  // The command prints its errors. Anything else is a fault of its thread, such as no more memory.
  const { status, serve } = await runInThread().catch((error) => {
    console.error(`qkv: the command failed: ${error.message}`);
    return { status: 1, serve: undefined };
  });
  // The pages are served while the process runs.
  if (status === 0 && serve) return serveDemo(serve);
  process.exit(status);
}

if (isMainThread) process.exitCode = await main();
else await runCommand();
