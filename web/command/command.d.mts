/** The glue that Emscripten generates for the command (build/wasm/baseline/command.mjs). */
export default function createCommand(options: {
  preRun: ((module: { ENV: Record<string, string | undefined> }) => void)[];
}): Promise<{ callMain(given: string[]): number }>;
