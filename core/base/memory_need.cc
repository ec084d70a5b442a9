#include "core/base/memory_need.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "core/base/budget.h"

namespace qkv {

Result<void> Reserve(Arena& arena, const MemoryNeed& need, std::string_view advice, std::string_view asks) {
  assert(arena.Here().block == 0 && arena.Here().used == 0);
  if (need.scratch * sizeof(float) <= arena.capacity()) return CheckMemory(need.kept, advice, asks, need.block);
  arena = Arena();
  // Sizes are rounded up coarsely, so that most steps that need a little more still fit.
  constexpr uint64_t kSmallest = uint64_t{1} << 16;
  const uint64_t grain = std::max(kSmallest, std::bit_floor(need.scratch) / 8);
  const uint64_t count = (need.scratch + grain - 1) / grain * grain;
  QKV_CHECK(CheckMemory(count * sizeof(float), advice, asks));
  arena.Floats(static_cast<size_t>(count));
  arena.Rewind({});
  // The arena has its block now, so this checks what is left.
  Result<void> rest = CheckMemory(need.kept, advice, asks, need.block);
  if (!rest) arena = Arena();
  return rest;
}

}  // namespace qkv
