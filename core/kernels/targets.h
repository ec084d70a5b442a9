// Which processors the kernels are compiled for, in one place. Included before hwy/highway.h, and nothing else may
// include that one.
//
// x86-64: SSE4 (the least that is accepted: without it nothing runs), AVX2 and AVX-512 without and with VNNI; older
// ones are not worth their bytes, and what newer ones add, arithmetic in bfloat16 and half, no kernel uses. Arm: NEON;
// vectors without a fixed size cannot be held in arrays, which the tiles do.
#pragma once

#define HWY_WANT_SSE4 1
#define HWY_WANT_AVX3_DL 1
#define HWY_DISABLED_TARGETS                                                                                         \
  (HWY_SSE2 | HWY_SSSE3 | HWY_AVX3_ZEN4 | HWY_AVX3_SPR | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | \
   HWY_SCALAR)
