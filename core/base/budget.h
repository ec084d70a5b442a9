// Bounds on what a file or a text makes the engine allocate, checked before the allocation. The core throws nothing, so
// a failed allocation ends the process, and in WebAssembly every model in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/error.h"

namespace qkv {

// The most bytes that are read of a text, also after each step of normalisation; the rest is cut off. A model has at
// most 16,384 positions, so this is 64 bytes for each.
inline constexpr size_t kLongestText = size_t{1} << 20;

// Checks that `bytes` more bytes are available: natively in the machine; in WebAssembly in one block of the memory that
// the instance can still get, or in blocks of `block` bytes if that is not 0. `asks` names what needs them, a file or a
// part of a call; `advice` says how to need less. Errors: kLimitExceeded.
Result<void> CheckMemory(uint64_t bytes, std::string_view advice, std::string_view asks, uint64_t block = 0);

// The advice for files.
inline constexpr char kTooLarge[] = "the file is too large for it";

// For tests: the most bytes that CheckMemory grants at once from now on.
void SetMemoryLimit(uint64_t bytes);

}  // namespace qkv
