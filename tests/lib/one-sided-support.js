// Shared by the tests of models that people bring: their folders, and models that are destroyed after each test.
import { readFileSync, readdirSync } from 'node:fs';
import { at, readJson } from './support.js';

export const folder = (name) => at(`tests/goldens/one-sided/${name}`);
export const goldens = (name) => readJson(`tests/goldens/one-sided/${name}/goldens.json`).goldens;

/** Expects numbers within twice the error of PyTorch's float32, plus 1e-6. */
export const expectNear = (ours, { data, shape, float32_error: error }) => {
  expect(ours.shape).toEqual(shape);
  const worst = Math.max(...data.map((exact, i) => Math.abs(exact - ours.data[i])));
  expect(worst).toBeLessThanOrEqual(2 * error + 1e-6);
};

/** All parts of a stream. */
export const collect = async (stream) => {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
};

/** A folder's files by name. */
export const filesOf = (path, filter = () => true) =>
  Object.fromEntries(
    readdirSync(path)
      .filter((name) => name !== 'goldens.json' && filter(name))
      .map((name) => [name, new Uint8Array(readFileSync(`${path}/${name}`))]),
  );

/** For all tests of a file: `keep` waits for a model, which is destroyed after the test. */
export function withModels() {
  const loaded = [];
  afterEach(() => {
    for (const model of loaded.splice(0)) model.destroy();
  });
  return async (promise) => {
    const model = await promise;
    loaded.push(model);
    return model;
  };
}
