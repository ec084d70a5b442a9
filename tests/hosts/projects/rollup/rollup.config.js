import resolve from '@rollup/plugin-node-resolve';

export default { input: 'main.js', output: { dir: 'out', format: 'es' }, plugins: [resolve()] };
