// A table of embeddings: looked up for inputs and, if tied, multiplied with for logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/function_ref.h"
#include "core/layers/linear.h"

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
MatrixView PieceLogits(Context& ctx, const Weight& table, const Vector& bias, const Operand& x,
                       std::span<const int32_t> pieces);

// Computes the logits of all pieces, with the same bits as PieceLogits. It computes one part of the vocabulary, calls
// `use` with the logits of this part, and goes on with the next part. `first` is the first piece of the part. A part is
// small (1 MB natively), so it stays in the processor's cache while `use` reads it. The logits of 128 hypotheses and
// 32,000 pieces would take 16 MB in one matrix, which is more than the cache.
void EachPartOfLogits(Context& ctx, const Weight& table, const Vector& bias, const Operand& x,
                      FunctionRef<void(size_t first, MatrixView logits)> use);

}  // namespace qkv
