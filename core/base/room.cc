#include "core/base/room.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "core/base/budget.h"

namespace qkv {

Result<void> Reserve(Arena& arena, const Room& room, std::string_view advice, std::string_view asks) {
  assert(arena.Here().block == 0 && arena.Here().used == 0);
  if (room.scratch * sizeof(float) <= arena.capacity()) return CheckMemory(room.kept, advice, asks);
  arena = Arena();
  // Sizes are rounded up coarsely, so that most steps that need a little more still fit.
  constexpr uint64_t kSmallest = uint64_t{1} << 16;
  const uint64_t grain = std::max(kSmallest, std::bit_floor(room.scratch) / 8);
  const uint64_t count = (room.scratch + grain - 1) / grain * grain;
  QKV_CHECK(CheckMemory(count * sizeof(float) + room.kept, advice, asks));
  arena.Floats(static_cast<size_t>(count));
  arena.Rewind({});
  return {};
}

}  // namespace qkv
