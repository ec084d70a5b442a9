import js from '@eslint/js';
import globals from 'globals';

const unused = ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }];

export default [
  { ignores: ['build/', 'dist/', 'node_modules/'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: 'module' },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'no-unused-vars': unused,
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
    },
  },
  // The library runs in pages, in workers and in Node: what it may use without asking is what all three have.
  { files: ['web/lib/**'], languageOptions: { globals: { ...globals['shared-node-browser'], ...globals.worker } } },
  { files: ['web/view/**', 'web/demo/**', 'web/lib/page/**'], languageOptions: { globals: globals.browser } },
  {
    files: ['examples/**'],
    languageOptions: { globals: { ...globals.browser, ...globals.node, ...globals.webextensions } },
  },
  {
    files: ['web/tools/**', 'web/command/**', 'core/text/*.mjs', 'web/models/**', '*.js'],
    languageOptions: { globals: globals.node },
  },
  // A part of Emscripten's glue.
  {
    files: ['wasm/command/*.js'],
    languageOptions: {
      globals: {
        ...globals.commonjs,
        ...{ Module: 'readonly', HEAPU8: 'readonly', HEAP32: 'readonly', HEAPU32: 'readonly', _malloc: 'readonly' },
        ...{ UTF8ToString: 'readonly', stringToUTF8: 'readonly', runtimeKeepalivePush: 'readonly' },
        ...{ FS: 'readonly', ERRNO_CODES: 'readonly' },
        ...{ addToLibrary: 'readonly', openFiles: 'readonly', input: 'readonly' },
      },
    },
  },
  // Functions given to page.evaluate() run in the page.
  { files: ['tests/**'], languageOptions: { globals: { ...globals.node, ...globals.browser, ...globals.jest } } },
];
