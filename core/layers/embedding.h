// A table of embeddings: looked up for inputs and, if tied, multiplied with for logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/layers/linear.h"
#include "core/layers/listed_logits.h"

namespace qkv {

// Row `row` of x = scale * table[id] + positions[position]. id < table.outputs(); position < positions.rows().
inline void EmbedRow(const Weight& table, int32_t id, float scale, const Matrix& positions, size_t position,
                     MatrixView x, size_t row) {
  float* to = x.data() + row * static_cast<size_t>(x.cols());
  table.GetRow(static_cast<size_t>(id), to);
  const float* at = positions.data() + position * static_cast<size_t>(positions.cols());
  for (Eigen::Index i = 0; i < x.cols(); ++i) to[i] = to[i] * scale + at[i];
}

// The backward of rows that EmbedRow made, recorded: the context has a tape. Positions are constants.
void RecordEmbedding(const Context& ctx, const Weight& table, std::span<const int32_t> ids, float scale, MatrixView x);

// The rows of `ids` times `scale`, [ids.size(), d].
inline MatrixView EmbedRows(Context& ctx, const Weight& table, std::span<const int32_t> ids, float scale = 1) {
  MatrixView x = ctx.New(static_cast<Eigen::Index>(ids.size()), static_cast<Eigen::Index>(table.inputs()));
  for (size_t row = 0; row < ids.size(); ++row) {
    table.GetRow(static_cast<size_t>(ids[row]), x.data() + row * table.inputs());
  }
  if (scale != 1) x *= scale;
  if (ctx.Recording() != nullptr) RecordEmbedding(ctx, table, ids, scale, x);
  return x;
}

// x [rows, d], bias [pieces of the table] -> [rows, pieces.size()], the logits of `pieces`, or of all pieces if it is
// empty.
inline MatrixView PieceLogits(Context& ctx, const Weight& table, const Vector& bias, const Operand& x,
                              std::span<const int32_t> pieces) {
  const auto count = static_cast<Eigen::Index>(pieces.empty() ? table.outputs() : pieces.size());
  MatrixView logits = ctx.New(x.floats().rows(), count);
  if (table.quantized()) {
    MatMulRows(x.Quantized(ctx), table.int8(), pieces, bias.data(), logits, ctx.pool);
  } else if (!pieces.empty()) {
    ListedLogits(ctx, x.floats(), table.floats(), pieces, bias.data(), logits);
  } else if (ctx.Recording() != nullptr) {
    MultiplyRecorded(ctx, table, bias.data(), x.floats(), Activation::kNone, logits);
  } else {
    MatMul(x.floats(), table.floats(), bias.data(), Activation::kNone, logits, ctx.pool);
  }
  return logits;
}

}  // namespace qkv
