// The elements in Vue's templates, as vue-tsc sees them. types.test.js compiles this file; it never runs.
import type {} from 'qkv/view/vue';
import type { GlobalComponents } from 'vue';
import type { Slice } from 'qkv/view';

type Properties<Name extends keyof GlobalComponents> = InstanceType<GlobalComponents[Name]>['$props'];

export const matrix = (slice: Slice): Properties<'qkv-matrix'> => ({ class: 'large', slice, scaling: 'row' });
export const heads: Properties<'qkv-heads'> = { onQkvChoose: ({ detail }) => detail.head.toFixed() };
// @ts-expect-error no such side
export const pieces: Properties<'qkv-pieces'> = { side: 'left' };
