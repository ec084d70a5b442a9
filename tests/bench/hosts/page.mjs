// One engine in a page.

import { openDesk } from '../engines/desk.mjs';

/** @type {import('../engines/desk.mjs').Host} */
const host = {
  isNode: false,
  url: (path) => new URL(`/${path}`, location.href).href,
  script: (path) =>
    new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `/${path}`;
      script.onload = () => resolve();
      script.onerror = () => reject(new Error(`${path} does not load`));
      document.head.append(script);
    }),
};

export const openHere = (seat) => openDesk(host, seat);
