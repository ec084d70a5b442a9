/** The instance of the command, which its own functions in wasm/command/*.js see as `Module`. */
export interface Command {
  ENV: Record<string, string | undefined>;
  /** Runs it; returns the exit code. */
  callMain(given: string[]): number;
  /** Set by `qkv serve`: the port, 0 where none was given, and the address. */
  serve?: { port: number; host: string };
}

/** The glue that Emscripten generates for the command (build/wasm/baseline/command.mjs). */
export default function createCommand(options: {
  preRun: ((module: Command) => void)[];
  /** The threads of the command. */
  threads: typeof import('./threads.js').threads;
  /** What the main thread does for the command; null in the threads that translate lines for it. */
  mainThread: import('./main_thread.js').MainThread | null;
}): Promise<Command>;
