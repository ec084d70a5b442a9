// What a model reads where positions are learnt: pieces, positions and, in BERT, segments, each from a table of its
// own.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "core/base/context.h"
#include "core/layers/weight.h"

namespace qkv {

// Row `row` of x = sum of table[id] over the tables; id < table.outputs(). A table without columns is left out: a model
// without segments. `part` has room for a row.
struct TableRow {
  const Weight& table;
  size_t id;
};
inline void EmbedLearned(std::initializer_list<TableRow> tables, MatrixView part, MatrixView x, size_t row) {
  float* to = x.data() + row * static_cast<size_t>(x.cols());
  bool first = true;
  for (const TableRow& each : tables) {
    if (each.table.inputs() == 0) continue;
    each.table.GetRow(each.id, first ? to : part.data());
    for (Eigen::Index i = 0; !first && i < x.cols(); ++i) to[i] += part.data()[i];
    first = false;
  }
}

}  // namespace qkv
