// Logits of the pieces of a shortlist by a table of floats.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/context.h"
#include "core/kernels/packed.h"

namespace qkv {

// y [rows, pieces.size()] = x [rows, d] by the rows `pieces` of the table, + bias [pieces of the table] or null. Only
// the panels with a piece of the list are read: few where the list is ascending and its pieces lie close together, as
// frequent pieces do. The bits are those of a product by the whole table.
void ListedLogits(Context& ctx, ConstMatrixView x, const PackedMatrix& table, std::span<const int32_t> pieces,
                  const float* bias, MatrixView y);

}  // namespace qkv
