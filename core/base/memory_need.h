// The memory of a step of a job, requested before the step begins, so that no step fails for lack of memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/error.h"

namespace qkv {

// An upper bound of the memory of a step or other work.
struct MemoryNeed {
  uint64_t scratch = 0;  // floats of the arena in total
  uint64_t kept = 0;     // bytes outside the arena
  uint64_t block = 0;    // the most of them that are one block; 0: all
};

// Requests the memory, and reserves the scratch as one block of the arena. The arena must be empty; a smaller block is
// freed first. Errors: those of CheckMemory, with `advice` and `asks`.
Result<void> Reserve(Arena& arena, const MemoryNeed& need, std::string_view advice, std::string_view asks);

}  // namespace qkv
