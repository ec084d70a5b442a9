// Memory for a call that may be large: what does not fit is refused before anything is begun.
#pragma once

#include <emscripten/emmalloc.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "wasm/engine.h"

namespace qkv::wasm {

// Whether so much can be had in one piece, the instance's memory grown if need be.
inline Result<void> Fits(uint64_t bytes, const char* advice, const char* where) {
  void* room = bytes < std::numeric_limits<size_t>::max() ? emmalloc_malloc(std::max<size_t>(bytes, 1)) : nullptr;
  if (room == nullptr) {
    const std::string size = std::to_string(bytes >> 20);
    return Error{ErrorCode::kLimitExceeded, "this needs " + size + " MiB more than the engine's memory has: " + advice,
                 where};
  }
  emmalloc_free(room);
  return {};
}

inline constexpr char kGiveLess[] = "give fewer rows at a time";
inline constexpr char kRecordLess[] = "record fewer of scores, logits and weights, or give fewer queries at a time";

// An arena for one call, of one block, given back after it.
class CallArena {
 public:
  explicit CallArena(uint64_t bytes) {
    arena_.Floats(static_cast<size_t>(bytes / sizeof(float)));
    arena_.Rewind({});
  }
  Context context() { return {arena_, SharedContext().pool}; }

 private:
  Arena arena_;
};

}  // namespace qkv::wasm
