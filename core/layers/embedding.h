// Embedding look-up from the same packed weight that the output product uses when the two are tied.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/matrix.h"
#include "core/kernels/packed.h"

namespace qkv {

// Row `row` of x = scale * table[id] + positions[position]. id < table.outputs(); position < positions.rows().
inline void EmbedRow(const PackedMatrix& table, int32_t id, float scale, const Matrix& positions, size_t position,
                     MatrixView x, size_t row) {
  float* to = x.data() + row * static_cast<size_t>(x.cols());
  table.GetRow(static_cast<size_t>(id), to);
  const float* at = positions.data() + position * static_cast<size_t>(positions.cols());
  for (Eigen::Index i = 0; i < x.cols(); ++i) to[i] = to[i] * scale + at[i];
}

}  // namespace qkv
