// The memory that a call of Attend, or a trace, needs, known before it begins. WebAssembly has little memory, so a call
// that would not fit is refused.
#pragma once

#include <cstdint>

#include "core/attention/attention.h"

namespace qkv {

// An upper bound of the bytes that Attend takes on one thread, besides inputs, output and record. It grows with the
// lengths, not with their product.
uint64_t AttendMemory(const Attention& attention, const AttentionInputs& in);

// The same of AttendBackward, besides inputs and gradients. It grows with the lengths too.
uint64_t AttendBackwardMemory(const Attention& attention, const AttentionInputs& in);

// Bytes of a trace of one kind of attention: its weights, and with `dim` its vectors.
constexpr uint64_t TraceMemory(uint64_t layers, uint64_t heads, uint64_t targets, uint64_t sources, uint64_t dim = 0) {
  return layers * heads * (targets * sources + (targets + 2 * sources) * dim) * sizeof(float);
}

}  // namespace qkv
