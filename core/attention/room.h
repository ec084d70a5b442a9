// How much memory attention takes, known before it is asked for: where there is little of it, as in WebAssembly, a call
// that would not fit is refused and not begun.
#pragma once

#include <cstdint>

#include "core/attention/attend.h"

namespace qkv {

// Bytes that Attend takes at most on one thread, besides inputs, output and record. It grows with the lengths, not with
// their product.
uint64_t AttendRoom(const Attention& attention, const AttentionInputs& in);

}  // namespace qkv
