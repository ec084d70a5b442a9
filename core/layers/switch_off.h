// Blocks of a layer that an intervention switches off, for some sentences of a batch.
#pragma once

#include <span>

#include "core/attention/interventions.h"
#include "core/base/context.h"
#include "core/layers/multi_head.h"

namespace qkv {

// If a block of a layer is off for a segment, its rows become those of `x`, or zeros if `x` is null. So a feed-forward
// block returns zeros, and a layer returns its input. y, x [rows, d]. Without interventions nothing is done.
void SwitchOff(const Context& ctx, Block block, bool decodes, size_t layer, std::span<const AttendedSegment> segments,
               const float* x, MatrixView y);

}  // namespace qkv
