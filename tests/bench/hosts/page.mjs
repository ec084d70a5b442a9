// One engine in a page.

import { openSession } from '../engines/session.mjs';
import { watchMemories } from '../watch-memories.mjs';

/** Bytes of WebAssembly's memories. */
export const wasmBytes = watchMemories();

const url = (path) => new URL(`/${path}`, location.href).href;

/** @returns {import('../engines/session.mjs').Host} */
const hostWith = (builds) => ({
  isNode: false,
  url,
  bytes: async (path) => new Uint8Array(await (await fetch(url(path))).arrayBuffer()),
  builds,
  script: (path) =>
    new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `/${path}`;
      script.onload = () => resolve();
      script.onerror = () => reject(new Error(`${path} does not load`));
      document.head.append(script);
    }),
});

export const openHere = ({ builds, ...contender }) => openSession(hostWith(builds), contender);
