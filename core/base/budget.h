// What a file or a text may make the engine allocate is bounded here, before it is allocated. Nothing is thrown, so an
// allocation that fails ends the process, and in WebAssembly every model that lives in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/error.h"

namespace qkv {

// Bytes of one text that are read, and of what it becomes on its way to pieces; what follows is cut off. The most
// positions that a model may have are 16,384, so this is 64 bytes for each.
inline constexpr size_t kLongestText = size_t{1} << 20;

// Whether so many bytes more can be had: natively as many as the machine has, in WebAssembly in one piece of what the
// instance can still grow to. `asks` is what asks for them: a file, or a part of a call; `advice` is how it would ask
// for less. Errors: kLimitExceeded.
Result<void> CheckMemory(uint64_t bytes, std::string_view advice, std::string_view asks);

// The advice where a file asks.
inline constexpr char kTooLarge[] = "the file is too large for it";

// The most bytes that CheckMemory grants at once from now on, where the machine has more: for tests.
void SetMemoryLimit(uint64_t bytes);

}  // namespace qkv
