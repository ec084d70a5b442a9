#include "core/base/budget.h"

#include <algorithm>
#include <limits>
#include <string>

#ifdef __EMSCRIPTEN__
#include <emscripten/emmalloc.h>
#else
#include <unistd.h>
#endif

namespace qkv {
namespace {

// Stays free for small allocations that are not checked: strings, lists of pieces.
constexpr uint64_t kSpare = uint64_t{1} << 20;

uint64_t limit = std::numeric_limits<uint64_t>::max();

#ifdef __EMSCRIPTEN__
// Allocates the blocks and frees them again. Several small blocks can fit into memory that is free already; one large
// block would make the memory grow. It calls the allocator's own function, because a compiler removes a `new` whose
// result is deleted at once.
bool IsAvailable(uint64_t bytes, uint64_t block) {
  if (bytes > std::numeric_limits<size_t>::max()) return false;
  // Many small blocks would take time.
  constexpr uint64_t kSmallest = uint64_t{1} << 16;
  const uint64_t most = block == 0 ? bytes : std::max(block, kSmallest);
  void** taken = nullptr;  // each block begins with the address of the one before
  uint64_t rest = bytes;
  while (rest != 0) {
    const uint64_t size = std::min(rest, most);
    auto** const next = static_cast<void**>(emmalloc_malloc(std::max(static_cast<size_t>(size), sizeof taken)));
    if (next == nullptr) break;
    *next = taken;
    taken = next;
    rest -= size;
  }
  while (taken != nullptr) {
    auto** const before = static_cast<void**>(*taken);
    emmalloc_free(taken);
    taken = before;
  }
  return rest == 0;
}
#else
bool IsAvailable(uint64_t bytes, uint64_t) {
  static const uint64_t memory =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  return bytes <= memory;
}
#endif

}  // namespace

Result<void> CheckMemory(uint64_t bytes, std::string_view advice, std::string_view asks, uint64_t block) {
  const uint64_t all = bytes + std::min(kSpare, std::numeric_limits<uint64_t>::max() - bytes);
  if (bytes <= limit && IsAvailable(all, block)) return {};
  return Error{
      ErrorCode::kLimitExceeded,
      "this needs " + std::to_string(bytes >> 20) + " MiB more than the engine's memory has: " + std::string(advice),
      std::string(asks)};
}

void SetMemoryLimit(uint64_t bytes) { limit = bytes; }

}  // namespace qkv
