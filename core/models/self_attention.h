// Self-attention as the models use it: over whole texts, and over the pieces that a decoder has read so far.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/segments.h"
#include "core/layers/multi_head.h"
#include "core/models/key_value_state.h"

namespace qkv {

// The output of self-attention, [rows, d], and the segments that it attended in.
struct SelfAttended {
  MatrixView rows;
  std::vector<AttendedSegment> parts;
};

// Each row of `in` [rows, d] attends to the rows of its own segment; with `causal` to those up to itself.
SelfAttended SelfAttend(Context& ctx, const MultiHead& layer, const Operand& in, const Segments& segments, bool causal,
                        AttentionPlace place);

// One layer over a decoder's past: appends the keys and values of `in` [hypotheses * count, d] to `past`, then lets
// each row attend to all that its hypothesis has read, itself included. KeyValueState::Append(count) must have been
// called. `segment[h]` is the sentence of hypothesis h; if it is empty, h is. `parts` is set to the segments that were
// attended to. It belongs to the caller, so that a decoding step allocates nothing.
MatrixView AttendPast(Context& ctx, const MultiHead& layer, const Operand& in, KeyValueState& past, size_t index,
                      std::span<const int32_t> segment, std::vector<AttendedSegment>& parts);

}  // namespace qkv
