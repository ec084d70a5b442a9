// The C++ example, built by the project's own build, and its CMakeLists.txt as a separate project.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from '../../web/tools/common.mjs';

const program = at('build/native/examples/cpp/translate');
const use = (...args) => spawnSync(program, args, { input: 'I love you.\n\nThank you!\n', encoding: 'utf8' });

test('the example translates each line of its input', () => {
  const { status, stdout, stderr } = use(at('web/models/en-fr'));
  expect([status, stdout, stderr]).toEqual([0, "Je t'aime.\n\nMerci !\n", '']);
});

test('a folder without a model is an error that names the file', () => {
  expect(use('/nowhere')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/config\.json/) });
  expect(use()).toMatchObject({ status: 2, stderr: expect.stringMatching(/usage/) });
});

test('a separate CMake project finds the core and its dependencies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-example-'));
  try {
    const compiler = /^CMAKE_CXX_COMPILER:\w+=(.*)$/m.exec(readFileSync(at('build/native/CMakeCache.txt'), 'utf8'))[1];
    execFileSync('cmake', ['-S', at('examples/cpp'), '-B', folder, '-G', 'Ninja', `-DCMAKE_CXX_COMPILER=${compiler}`]);
    const rules = readFileSync(join(folder, 'build.ninja'), 'utf8');
    expect(rules).toMatch(/^build translate: CXX_EXECUTABLE_LINKER.*main\.cc\.o \| qkv\/libqkv_core\.a.*libhwy/m);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
