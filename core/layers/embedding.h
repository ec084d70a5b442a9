// Embedding look-up from the same packed weight that the output product uses when the two are tied.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/context.h"
#include "core/kernels/packed.h"

namespace qkv {

// Row i = scale * table[ids[i]] + positions[position(i)], where position(i) = first + i % length: `ids` holds sequences
// of one length that all begin at `first`. ids < table.outputs(); first + length <= positions.rows().
MatrixView EmbedAt(Context& ctx, const PackedMatrix& table, float scale, const Matrix& positions,
                   std::span<const int32_t> ids, size_t first, size_t length);

}  // namespace qkv
