// The elements in Svelte's templates, as svelte-check sees them. types.test.js compiles this file; it never runs.
import type {} from 'qkv/view/svelte';
import type { SvelteHTMLElements } from 'svelte/elements';
import type { Slice } from 'qkv/view';

export const matrix = (slice: Slice): SvelteHTMLElements['qkv-matrix'] => ({ class: 'large', slice, scaling: 'row' });
export const heads: SvelteHTMLElements['qkv-heads'] = { 'onqkv-choose': ({ detail }) => detail.head.toFixed() };
// @ts-expect-error no such side
export const pieces: SvelteHTMLElements['qkv-pieces'] = { side: 'left' };
