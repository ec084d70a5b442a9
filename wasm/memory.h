// Memory for a call that may be large. A call that needs too much is refused before it begins (core/base/budget.h).
#pragma once

#include <cstdint>

#include "core/base/budget.h"
#include "wasm/engine.h"

namespace qkv::wasm {

inline constexpr char kGiveLess[] = "give fewer rows at a time";
inline constexpr char kRecordLess[] = "record fewer of scores, logits and weights, or give fewer queries at a time";

// An arena of one block for one call. Its memory is freed after the call.
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
