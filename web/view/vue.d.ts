// The elements in Vue's templates: `import type {} from 'qkv/view/vue'` once in a program.

import type { HTMLAttributes } from 'vue';
import type { QkvElements, QkvEvents, QkvProperties } from './elements.js';

/** qkv-choose is onQkvChoose. */
type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type Listeners<Events> = {
  [Type in keyof Events & string as `on${Capitalize<Camel<Type>>}`]?: (event: Events[Type]) => void;
};

type Components = {
  [Name in keyof QkvElements]: new () => {
    $props: HTMLAttributes & QkvProperties[Name] & Listeners<QkvEvents[Name]>;
  };
};

declare module 'vue' {
  interface GlobalComponents extends Components {}
}
