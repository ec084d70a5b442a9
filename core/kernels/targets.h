// The processors that the kernels are compiled for. Include this file instead of hwy/highway.h.
//
// x86-64: SSE4 (required), AVX2, and AVX-512 without and with VNNI. Older targets are not worth their code size. Newer
// targets add bfloat16 and half arithmetic, which no kernel uses. Arm: NEON. Vectors without a fixed size (SVE) cannot
// be stored in arrays, as the tiles do.
#pragma once

#define HWY_WANT_SSE4 1
#define HWY_WANT_AVX3_DL 1
#define HWY_DISABLED_TARGETS                                                                                         \
  (HWY_SSE2 | HWY_SSSE3 | HWY_AVX3_ZEN4 | HWY_AVX3_SPR | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | \
   HWY_SCALAR)
