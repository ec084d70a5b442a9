// The elements in React's JSX: compiled by types.test.js, never run.
import type {} from 'qkv/view/react';
import { useRef } from 'react';
import { Selection, type Grid, type HeadsElement, type Slice } from 'qkv/view';

const selection = new Selection();

export function Attention({ slice, grid }: { slice: Slice | null; grid: Grid }) {
  const heads = useRef<HeadsElement>(null);
  return (
    <section>
      <qkv-matrix className="large" slice={slice} selection={selection} scaling="row" />
      <qkv-pieces side="target" slice={slice} aria-label="Target" key="target" />
      <qkv-heads ref={heads} selection={selection} onqkv-choose={(event) => event.detail.layer.toFixed()} />
      <qkv-grid grid={grid} ongrid-edit={({ detail }) => detail.value + detail.row} />
      {/* @ts-expect-error no such scaling */}
      <qkv-lines slice={slice} scaling="column" />
      {/* @ts-expect-error not a search */}
      <qkv-tree search={7} />
    </section>
  );
}
