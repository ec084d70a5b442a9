// The elements' names, properties and events, for TypeScript. The DOM's own map of elements gets them, and react.d.ts,
// vue.d.ts and svelte.d.ts make the types of their templates from these tables.

import type { Grid, GridElement } from './grid.js';
import type { Head, HeadsElement, Importance } from './heads.js';
import type { LegendElement } from './legend.js';
import type { LinesElement } from './lines.js';
import type { MatrixElement } from './matrix.js';
import type { PiecesElement } from './pieces.js';
import type { Selection } from './selection.js';
import type { SideName, Slice } from './trace.js';
import type { Search } from './tree-layout.js';
import type { TreeElement } from './tree.js';

export interface QkvElements {
  'qkv-grid': GridElement;
  'qkv-heads': HeadsElement;
  'qkv-legend': LegendElement;
  'qkv-lines': LinesElement;
  'qkv-matrix': MatrixElement;
  'qkv-pieces': PiecesElement;
  'qkv-tree': TreeElement;
}

interface ViewProperties {
  selection?: Selection | null;
  scaling?: 'absolute' | 'row';
}

interface DrawingProperties extends ViewProperties {
  slice?: Slice | null;
}

/** The properties that a template may set. */
export interface QkvProperties {
  'qkv-grid': { grid?: Grid | null };
  'qkv-heads': ViewProperties & { written?: number | null; importance?: Importance | null };
  'qkv-legend': { scaling?: 'absolute' | 'row'; view?: 'matrix' | 'lines'; peak?: string; unit?: string };
  'qkv-lines': DrawingProperties;
  'qkv-matrix': DrawingProperties & { beside?: Slice[] };
  'qkv-pieces': { side?: SideName; slice?: Slice | null; selection?: Selection | null; written?: number | null };
  'qkv-tree': { search?: Search | null; steps?: number | null };
}

/** A cell of a grid. */
export interface Cell {
  row: number;
  column: number;
}

/** The events of each element. All of them bubble. */
export interface QkvEvents {
  'qkv-grid': {
    'grid-point': CustomEvent<Cell | null>;
    'grid-pin': CustomEvent<Cell>;
    'grid-unpin': CustomEvent<undefined>;
    'grid-edit': CustomEvent<Cell & { value: number }>;
  };
  'qkv-heads': { 'qkv-preview': CustomEvent<Head | null>; 'qkv-choose': CustomEvent<Head> };
  'qkv-legend': {};
  'qkv-lines': {};
  'qkv-matrix': {};
  'qkv-pieces': {};
  'qkv-tree': { 'qkv-choose': CustomEvent<number[]>; 'qkv-point': CustomEvent<string> };
}

/** Listeners with the names in React's and Svelte's templates: `onqkv-choose`. */
export type Listeners<Events> = { [Type in keyof Events & string as `on${Type}`]?: (event: Events[Type]) => void };

declare global {
  interface HTMLElementTagNameMap extends QkvElements {}
}
