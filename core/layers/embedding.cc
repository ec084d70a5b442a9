#include "core/layers/embedding.h"

#include <cassert>

namespace qkv {

MatrixView EmbedAt(Context& ctx, const PackedMatrix& table, float scale, const Matrix& positions,
                   std::span<const int32_t> ids, size_t first, size_t length) {
  assert(first + length <= static_cast<size_t>(positions.rows()));
  MatrixView x = ctx.New(static_cast<Eigen::Index>(ids.size()), static_cast<Eigen::Index>(table.inputs()));
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    table.GetRow(static_cast<size_t>(ids[i]), x.row(row).data());
    x.row(row) = x.row(row) * scale + positions.row(static_cast<Eigen::Index>(first + i % length));
  }
  return x;
}

}  // namespace qkv
