// Attention on the tape.
#pragma once

#include "core/attention/attend_backward.h"

namespace qkv {

// Records Attend's and AttendSegments' backward on the context's tape. Inputs, output, and all that
// `attention` points to outlive the tape's Backward; what of them is not on the tape is a constant.
void RecordAttend(Context& ctx, const Attention& attention, const AttentionInputs& in, const Segments& query_segments,
                  const Segments& key_segments, Heads output);

// What is recorded: AttendSegmentsBackward to all that the tape wants.
void AttendBackwardOnTape(Context& ctx, const Attention& attention, const AttentionInputs& in,
                          const Segments& query_segments, const Segments& key_segments, const AttentionLoss& loss);

}  // namespace qkv
