// The memory that a call of Attend needs, known before it begins. WebAssembly has little memory, so a call that would
// not fit is refused.
#pragma once

#include <cstdint>

#include "core/attention/attention.h"

namespace qkv {

// An upper bound of the bytes that Attend takes on one thread, besides inputs, output and record. It grows with the
// lengths, not with their product.
uint64_t AttendMemory(const Attention& attention, const AttentionInputs& in);

}  // namespace qkv
