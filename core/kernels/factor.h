// The operands and the result of a general product (core/kernels/gemm.h).
#pragma once

#include <cstddef>

#include "core/kernels/packed.h"

namespace qkv {

// A matrix as a factor: element (i, j) is at data[i * stride + j], or, transposed, at data[j * stride + i].
struct Factor {
  const float* data = nullptr;
  size_t stride = 0;
  bool transposed = false;
};
inline Factor Transposed(Factor f) { return {f.data, f.stride, !f.transposed}; }

// Where a result is written: rows `stride` apart, panels of kPanel columns `panel_stride` apart.
struct Result2d {
  float* data = nullptr;
  size_t stride = 0;
  bool add = false;
  size_t panel_stride = kPanel;
};

}  // namespace qkv
