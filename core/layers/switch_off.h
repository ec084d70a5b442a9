// Blocks of a layer that an intervention switches off, for some sentences of a batch.
#pragma once

#include <span>

#include "core/attention/interventions.h"
#include "core/base/context.h"
#include "core/layers/multi_head.h"

namespace qkv {

// Where the block is off, the rows of a segment become those of `x`, or zeros if `x` is null. y, x [rows, d].
void ReplaceRows(const Interventions& interventions, Block block, bool decodes, size_t layer,
                 std::span<const AttendedSegment> segments, const float* x, MatrixView y);

// A feed-forward block that is off hands on zeros.
inline void SwitchOffFeedForward(const Context& ctx, bool decodes, size_t layer,
                                 std::span<const AttendedSegment> segments, MatrixView fed) {
  if (ctx.interventions == nullptr) return;
  ReplaceRows(*ctx.interventions, Block::kFeedForward, decodes, layer, segments, nullptr, fed);
}

// A layer that is off hands on its input.
inline void SwitchOffLayer(const Context& ctx, bool decodes, size_t layer, std::span<const AttendedSegment> segments,
                           ConstMatrixView x, MatrixView y) {
  if (ctx.interventions == nullptr) return;
  ReplaceRows(*ctx.interventions, Block::kLayer, decodes, layer, segments, x.data(), y);
}

}  // namespace qkv
