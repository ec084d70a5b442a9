// The input of models with learned positions: the sum of embeddings of pieces, positions and, in BERT, segments, each
// with its own table.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/attention/segments.h"
#include "core/layers/embedding.h"

namespace qkv {

// Adds a row of a table to each row; ids[row] < table.outputs(). A table without columns is skipped, for models without
// segments.
struct TableRows {
  const Weight& table;
  std::span<const int32_t> ids;
};

// The sum of the tables' rows, [rows, d].
inline MatrixView EmbedLearned(Context& ctx, std::initializer_list<TableRows> tables) {
  const size_t rows = tables.begin()->ids.size(), d = tables.begin()->table.inputs();
  MatrixView x = ctx.New(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(d));
  MatrixView part = ctx.New(1, x.cols());
  for (const auto& [table, ids] : tables) {
    if (table.inputs() == 0) continue;
    const bool first = &table == &tables.begin()->table;
    for (size_t row = 0; row < rows; ++row) {
      float* const to = x.data() + row * d;
      table.GetRow(static_cast<size_t>(ids[row]), first ? to : part.data());
      for (size_t i = 0; !first && i < d; ++i) to[i] += part.data()[i];
    }
    if (ctx.Recording() != nullptr) RecordEmbedding(ctx, table, ids, 1, x);
  }
  return x;
}

// Each packed row's position in its segment, counted from `first`.
inline std::vector<int32_t> PositionsIn(const Segments& segments, size_t first = 0) {
  std::vector<int32_t> positions;
  positions.reserve(segments.rows());
  for (size_t s = 0; s < segments.size(); ++s) {
    for (size_t i = 0; i < segments.length(s); ++i) positions.push_back(static_cast<int32_t>(first + i));
  }
  return positions;
}

}  // namespace qkv
