// A sliding window with attention sinks (Xiao et al. 2023), without computing the keys between the sinks and the
// window.
#pragma once

#include "core/attention/attend.h"

namespace qkv {

// The result of Attend, bit for bit. Chains of keys that no query of a group sees are left out. Nothing is left out if
// more than the softmax reads a row of scores: another selection, a record of whole rows, values that are not finite,
// or values by distance.
void AttendAroundGap(Context& ctx, const Attention& attention, const AttentionInputs& in, Heads output,
                     const AttentionRecord& record = {});

}  // namespace qkv
