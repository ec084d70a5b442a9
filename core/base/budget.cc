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
// Calls the allocator's own function, because compilers remove an allocation that is freed at once.
bool IsAvailable(uint64_t bytes) {
  if (bytes > std::numeric_limits<size_t>::max()) return false;
  void* const block = emmalloc_malloc(static_cast<size_t>(bytes));
  emmalloc_free(block);
  return block != nullptr;
}
#else
bool IsAvailable(uint64_t bytes) {
  static const uint64_t memory =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  return bytes <= memory;
}
#endif

}  // namespace

Result<void> CheckMemory(uint64_t bytes, std::string_view advice, std::string_view asks) {
  const uint64_t all = bytes + std::min(kSpare, std::numeric_limits<uint64_t>::max() - bytes);
  if (bytes <= limit && IsAvailable(all)) return {};
  return Error{
      ErrorCode::kLimitExceeded,
      "this needs " + std::to_string(bytes >> 20) + " MiB more than the engine's memory has: " + std::string(advice),
      std::string(asks)};
}

void SetMemoryLimit(uint64_t bytes) { limit = bytes; }

}  // namespace qkv
