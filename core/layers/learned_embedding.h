// What a model reads where positions are learnt: pieces, positions and, in BERT, segments, each from a table of its
// own.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/context.h"
#include "core/layers/weight.h"

namespace qkv {

// Row `row` of x = sum of table[id] over the tables; id < table.outputs().
struct TableRow {
  const Weight& table;
  size_t id;
};
inline void EmbedLearned(std::initializer_list<TableRow> tables, MatrixView x, size_t row) {
  float* to = x.data() + row * static_cast<size_t>(x.cols());
  std::vector<float> part(static_cast<size_t>(x.cols()));
  bool first = true;
  for (const TableRow& each : tables) {
    if (each.table.inputs() == 0) continue;  // a model without segments
    each.table.GetRow(each.id, first ? to : part.data());
    for (size_t i = 0; !first && i < part.size(); ++i) to[i] += part[i];
    first = false;
  }
}

}  // namespace qkv
