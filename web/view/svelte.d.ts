// The elements in Svelte's templates: `import type {} from 'qkv/view/svelte'` once in a program.

import type { HTMLAttributes } from 'svelte/elements';
import type { Listeners, QkvElements, QkvEvents, QkvProperties } from './elements.js';

type Elements = {
  [Name in keyof QkvElements]: HTMLAttributes<QkvElements[Name]> & QkvProperties[Name] & Listeners<QkvEvents[Name]>;
};

declare module 'svelte/elements' {
  interface SvelteHTMLElements extends Elements {}
}
