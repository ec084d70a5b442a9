// The memory of a step of a job, asked for before the step is begun: nothing in it fails for want of memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/error.h"

namespace qkv {

// What a step, or another piece of work, takes at most.
struct Room {
  uint64_t scratch = 0;  // floats of the arena, all of them together
  uint64_t kept = 0;     // bytes beside it
};

// Asks for that room, and has the scratch in one block of the arena. Nothing is in the arena: a smaller block is given
// back first. Errors: those of CheckMemory, which has `advice` and `asks`.
Result<void> Reserve(Arena& arena, const Room& room, std::string_view advice, std::string_view asks);

}  // namespace qkv
