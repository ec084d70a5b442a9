// qkv's core alone: tests/bench/*.cc as WebAssembly, without the cost of JavaScript and its copies, and the limits that
// every engine is compared with.

import { argumentsFor, modelOf, readSamples } from '../kernels.mjs';
import { folderFiles } from '../models/folder-names.mjs';

const kFolder = '/model';

/**
 * @param {import('./session.mjs').Host} host
 * @param {{build: 'baseline' | 'relaxed'}} options
 */
export async function open(host, { build }) {
  const { default: createBench } = await import(host.url(`${host.builds[build]}/qkv_bench.mjs`));
  let printed = '';
  let complaint = '';
  const bench = await createBench({
    print(line) {
      printed += `${line}\n`;
    },
    printErr(line) {
      complaint = line;
    },
  });

  /** The work's files in the module's memory until the work is done. @param {string} folder */
  async function mount(folder) {
    const name = `${kFolder}/${folder.split('/').at(-1)}`;
    bench.FS.mkdirTree(name);
    for (const file of folderFiles) bench.FS.writeFile(`${name}/${file}`, await host.bytes(`${folder}/${file}`));
    const unmount = () => folderFiles.forEach((file) => bench.FS.unlink(`${name}/${file}`));
    return { name, unmount };
  }

  /** @param {import('../workloads.mjs').Work} work */
  async function prepare(work) {
    const folder = modelOf(work);
    const mounted = folder && (await mount(folder));
    const sample = () => {
      printed = complaint = '';
      bench.callMain(argumentsFor(work, mounted?.name));
      if (complaint) throw new Error(complaint);
      return { ...readSamples(printed), uncounted: 1 };
    };
    return { sample, release: () => mounted?.unmount() };
  }
  return { prepare };
}
