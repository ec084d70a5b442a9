#include "core/base/arena.h"

#include <algorithm>

namespace qkv {
namespace {
constexpr size_t kFloatsPerLine = kCacheLine / sizeof(float);
constexpr size_t kSmallestBlock = size_t{1} << 16;  // 256 KiB
}  // namespace

float* Arena::Floats(size_t count) {
  count = (count + kFloatsPerLine - 1) / kFloatsPerLine * kFloatsPerLine;
  while (at_.block < blocks_.size() && blocks_[at_.block].size() - at_.used < count) at_ = {at_.block + 1, 0};
  if (at_.block == blocks_.size()) {
    const size_t last = blocks_.empty() ? 0 : blocks_.back().size();
    blocks_.emplace_back(std::max({count, kSmallestBlock, last}));
  }
  float* result = blocks_[at_.block].data() + at_.used;
  at_.used += count;
  return result;
}

size_t Arena::capacity() const {
  size_t floats = 0;
  for (const AlignedFloats& block : blocks_) floats += block.size();
  return floats * sizeof(float);
}

}  // namespace qkv
