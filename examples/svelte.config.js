// svelte-check wants a config of its own, because the example's Vite plugin is not installed here.
export default { compilerOptions: {} };
