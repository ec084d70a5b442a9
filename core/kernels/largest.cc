#include "core/kernels/largest.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/largest.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

size_t LargestOfPart(const float* row, size_t size, size_t first, size_t count, RowEntry* largest, size_t found) {
  if (count == 0) return 0;
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto better = [](const RowEntry& a, const RowEntry& b) { return a.value > b.value; };
  // `largest` stays sorted. Once it is full, its last value is the bar that an entry must pass.
  float least = found == count ? largest[count - 1].value : -std::numeric_limits<float>::infinity();
  const auto consider = [&](size_t i) {
    if (!(row[i] > least)) return;
    const RowEntry entry{row[i], static_cast<int32_t>(first + i)};
    if (found == count) --found;
    RowEntry* const at = std::upper_bound(largest, largest + found, entry, better);
    std::copy_backward(at, largest + found, largest + found + 1);
    *at = entry;
    if (++found == count) least = largest[count - 1].value;
  };
  size_t i = 0;
  // After the first blocks, few blocks of four vectors have a larger number, so whole blocks are skipped.
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    const auto bar = hn::Set(d, least);
    const auto a = hn::Gt(hn::LoadU(d, row + i), bar), b = hn::Gt(hn::LoadU(d, row + i + lanes), bar);
    const auto c = hn::Gt(hn::LoadU(d, row + i + 2 * lanes), bar), e = hn::Gt(hn::LoadU(d, row + i + 3 * lanes), bar);
    if (hn::AllFalse(d, hn::Or(hn::Or(a, b), hn::Or(c, e)))) continue;
    for (size_t at = i; at < i + 4 * lanes; ++at) consider(at);
  }
  for (; i < size; ++i) consider(i);
  return found;
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(LargestOfPart);

size_t Largest(const float* row, size_t size, size_t count, RowEntry* largest) {
  return LargestWithPart(row, size, 0, count, largest, 0);
}

size_t LargestWithPart(const float* part, size_t size, size_t first, size_t count, RowEntry* largest, size_t found) {
  return HWY_DYNAMIC_DISPATCH(LargestOfPart)(part, size, first, count, largest, found);
}

}  // namespace qkv
#endif  // HWY_ONCE
