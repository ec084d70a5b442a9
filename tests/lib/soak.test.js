// The short forms of the soak tests: thousands of translations, tens of translators, every step of a short job. `npm
// run test:full` runs the long forms.

import { soaks } from '../soak/soaks.mjs';

test.each(soaks.map((soak) => [soak.short, soak.name, soak]))(
  '%i %s leave memory as it was',
  async (size, _, soak) => {
    const { summary, complaints } = await soak.run(size);
    console.log(`${soak.name}: ${summary}`);
    expect(complaints).toEqual([]);
  },
  600_000,
);
