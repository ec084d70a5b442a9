// Attention, forward. It works on some queries at a time and keeps no matrix of scores unless a record asks for it:
// memory grows with the length, not with its square.
#pragma once

#include "core/attention/attention.h"
#include "core/attention/segments.h"
#include "core/base/context.h"

namespace qkv {

// output [H, queries, dv]. CheckAttention has passed, and output overlaps no input. A query's result does not depend,
// bit for bit, on the other queries (except with mask_used) or on the number of threads.
//
// A key that a query may not see never changes its result, NaN and infinities included. A NaN in a key that it sees
// makes its row NaN.
//
// With a tape in the context it records its backward (core/attention/attend_backward.h).
void Attend(Context& ctx, const Attention& attention, const AttentionInputs& in, Heads output,
            const AttentionRecord& record = {});

// The same for packed segments: queries of segment s see keys of segment s. The arrays of the mask, if any, do not
// apply here.
void AttendSegments(Context& ctx, const Attention& attention, const AttentionInputs& in, const Segments& query_segments,
                    const Segments& key_segments, Heads output);

}  // namespace qkv
