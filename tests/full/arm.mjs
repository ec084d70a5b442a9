// The native tests on 64-bit Arm, under qemu's emulation. The kernels have variants for NEON, and for NEON with bfloat16 and
// the dot product of bytes; vectors without a fixed size (SVE) are not used, so a processor that has them runs the latter.

import { existsSync } from 'node:fs';
import { at, cmake, run } from '../../web/tools/common.mjs';
import { googleTest, inWords } from '../suites.mjs';

const kRoot = at('build', 'debian-arm64');

/** Processors as qemu names them. Highway chooses the kernels' variant by what it finds. */
const kProcessors = {
  'NEON (Cortex-A72)': 'cortex-a72',
  'NEON with the dot product, on a processor with SVE2 too': 'max',
};

export async function* arm() {
  const qemu = ['qemu-aarch64', 'qemu-aarch64-static'].find((name) => existsSync(`/usr/bin/${name}`));
  if (!qemu || !existsSync('/etc/debian_version')) {
    yield { name: 'GoogleTest on Arm', summary: 'needs Debian with the package qemu-user', skipped: 1 };
    return;
  }
  if (!existsSync(kRoot)) await run(at('tests', 'arm', 'sysroot.sh'), [kRoot]);
  const folder = await cmake('arm', ['qkv_tests']);
  for (const [name, processor] of Object.entries(kProcessors)) {
    const command = [qemu, '-L', `${kRoot}/system`, '-cpu', processor, `${folder}/qkv_tests`];
    const counts = await googleTest(`GoogleTest on Arm, ${name}`, command);
    yield { name: `GoogleTest on Arm, ${name}`, summary: inWords(counts), ...counts };
  }
}
