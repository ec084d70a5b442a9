export default {
  testMatch: ['<rootDir>/tests/{lib,web,cli,tools,hosts}/**/*.test.{js,mjs}'],
  moduleFileExtensions: ['js', 'mjs', 'json'],
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/dist/'],
  transform: {},
  injectGlobals: true,
  // The engine is one thread each; more workers than cores would only slow the pages' timings down.
  maxWorkers: 2,
  testTimeout: 60_000,
};
