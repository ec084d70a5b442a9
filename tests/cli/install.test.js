// `cmake --install`: the C++ example, built against the installed library in both ways that build systems look for one.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from '../../web/tools/common.mjs';
import { version } from '../../web/lib/base/version.js';
import { tinyModel, tinyPairs } from './tiny-run.js';

const kMinutes = 60_000;
const toolchain = at('build/toolchain/usr'); // Highway and headers that the system's packages lack
const compiler = /^CMAKE_CXX_COMPILER:\w+=(.*)$/m.exec(readFileSync(at('build/native/CMakeCache.txt'), 'utf8'))[1];
const prefix = mkdtempSync(join(tmpdir(), 'qkv-installed-'));
const run = (command, args, options) => execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe', ...options });
const translate = (program) => run(program, [at('web/models/en-fr')], { input: 'I love you.\n' });

/** A private copy of Highway says that it is in /usr; this writes its file for pkg-config with the true folder. */
function placeHighway() {
  const found = existsSync(toolchain) ? readdirSync(toolchain, { recursive: true }) : [];
  const path = found.find((file) => file.endsWith('libhwy.pc'));
  if (path)
    writeFileSync(
      join(prefix, 'lib/pkgconfig/libhwy.pc'),
      readFileSync(join(toolchain, path), 'utf8').replaceAll('/usr', toolchain),
    );
}

beforeAll(() => run('cmake', ['--install', at('build/native'), '--prefix', prefix]));
afterAll(() => rmSync(prefix, { recursive: true }));

test('the installed command runs', () => {
  expect(run(join(prefix, 'bin/qkv'), ['--version']).trim()).toBe(version);
  const shells = ['bash-completion/completions/qkv', 'zsh/site-functions/_qkv', 'fish/vendor_completions.d/qkv.fish'];
  for (const file of ['man/man1/qkv.1', ...shells]) {
    expect(readFileSync(join(prefix, 'share', file), 'utf8')).toMatch(/max.*length/);
  }
});

/** The libraries that a program is linked to. @param {string} program */
const linked = (program) =>
  [...run('readelf', ['-d', program]).matchAll(/\[(lib[^.\]]*)\.so/g)].map(([, name]) => name);

test(
  'find_package(qkv) gives qkv::core',
  () => {
    const build = join(prefix, 'build');
    const found = `-DCMAKE_PREFIX_PATH=${prefix};${toolchain}`;
    // Copied, so that only the installed headers can be found.
    run('cp', ['-r', at('examples/cpp'), join(prefix, 'example')]);
    run('cmake', [
      '-S',
      join(prefix, 'example'),
      '-B',
      build,
      '-G',
      'Ninja',
      `-DCMAKE_CXX_COMPILER=${compiler}`,
      found,
    ]);
    run('cmake', ['--build', build]);
    expect(translate(join(build, 'translate'))).toBe("Je t'aime.\n");
    // What only the command needs is not asked of other programs.
    expect(linked(join(build, 'translate')).filter((name) => /mpi|zstd|sentencepiece/.test(name))).toEqual([]);
    expect(linked(join(prefix, 'bin/qkv'))).not.toContain('libmpi_cxx');
    expect(linked(join(build, 'translate'))).toContain('libz');
  },
  5 * kMinutes,
);

/** Builds a program of one file by what pkg-config says; returns its path. @param {string} source */
function byPkgConfig(source, name = 'by-pkg-config') {
  placeHighway();
  const env = { ...process.env, PKG_CONFIG_PATH: join(prefix, 'lib/pkgconfig') };
  expect(run('pkg-config', ['--modversion', 'qkv'], { env }).trim()).toBe(version);
  const flags = run('pkg-config', ['--cflags', '--libs', 'qkv'], { env }).trim().split(/\s+/);
  const rpath = `-Wl,-rpath,${run('pkg-config', ['--variable=libdir', 'libhwy'], { env }).trim()}`;
  run(compiler, ['-O1', source, ...flags, rpath, '-o', join(prefix, name)]);
  return join(prefix, name);
}

test(
  'pkg-config names the headers and the libraries',
  () => expect(translate(byPkgConfig(at('examples/cpp/main.cc')))).toBe("Je t'aime.\n"),
  5 * kMinutes,
);

test(
  'a program needs only core/qkv.h to translate, trace, encode, generate and train',
  () => {
    const config = {
      out: 'learnt',
      vocabulary: at('tests/goldens/models/tiny-f32'),
      corpora: [{ path: 'pairs.tsv' }],
      preset: 'tiny',
      model: tinyModel,
      batch: { tokens: 200, longest: 64 },
      steps: 3,
    };
    writeFileSync(join(prefix, 'pairs.tsv'), tinyPairs);
    writeFileSync(join(prefix, 'run.json'), JSON.stringify(config));
    expect(readFileSync(at('tests/cli/library.cc'), 'utf8').match(/"core\/.*"/g)).toEqual(['"core/qkv.h"']);
    const models = ['web/models/en-fr', 'tests/goldens/one-sided/bert-masked', 'tests/goldens/one-sided/gpt2'];
    const said = run(byPkgConfig(at('tests/cli/library.cc'), 'library'), [
      ...models.map((name) => at(name)),
      join(prefix, 'run.json'),
    ]);
    expect(said).toMatch(/^translate Je t'aime\.\ntrace \d+\nencode [1-9]\d*\ngenerate [1-4]\ntrain 3\n$/);
    expect(existsSync(join(prefix, 'learnt/model/model.safetensors'))).toBe(true);
  },
  5 * kMinutes,
);

test('a project that asks for another version does not get this one', () => {
  const script = join(prefix, 'lib/cmake/qkv/qkvConfigVersion.cmake');
  const ask = join(prefix, 'ask.cmake');
  writeFileSync(ask, `include("${script}")\nfile(WRITE "${ask}.txt" "\${PACKAGE_VERSION_COMPATIBLE}")\n`);
  const isCompatible = (major, minor) => {
    const wanted = [`=${major}.${minor}`, `_MAJOR=${major}`, `_MINOR=${minor}`];
    run('cmake', [...wanted.map((value) => `-DPACKAGE_FIND_VERSION${value}`), '-P', ask]);
    return readFileSync(`${ask}.txt`, 'utf8') === 'TRUE';
  };
  const [major, minor] = version.split('.').map(Number);
  expect([isCompatible(major, minor), isCompatible(major, minor + 1)]).toEqual([true, false]);
});
