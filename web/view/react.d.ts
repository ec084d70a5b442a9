// The elements in JSX, for React: `import type {} from 'qkv/view/react'` once in a program.

import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { Listeners, QkvElements, QkvEvents, QkvProperties } from './elements.js';

type Attributes<Element> = DetailedHTMLProps<HTMLAttributes<Element>, Element>;

type Elements = {
  [Name in keyof QkvElements]: Attributes<QkvElements[Name]> & QkvProperties[Name] & Listeners<QkvEvents[Name]>;
};

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
