// Records the backward of attention on the tape.
#pragma once

#include "core/attention/attend_backward.h"

namespace qkv {

// Records the backward of Attend or AttendSegments on the context's tape. Inputs, output, and everything that
// `attention` points to must outlive the tape's Backward. Arguments that are not on the tape are constants.
void RecordAttend(Context& ctx, const Attention& attention, const AttentionInputs& in, const Segments& query_segments,
                  const Segments& key_segments, Heads output);

// The recorded function: AttendSegmentsBackward, for all gradients that the tape wants.
void AttendBackwardOnTape(Context& ctx, const Attention& attention, const AttentionInputs& in,
                          const Segments& query_segments, const Segments& key_segments, const AttentionLoss& loss);

}  // namespace qkv
