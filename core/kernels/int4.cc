#include "core/kernels/int4.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/int4.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sums[j] is the sum of squared errors with the byte m = first + j, for j < count. `sums` needs room for one vector
// more than `count`. Each lane computes the sum of one m, with the rounding of RoundToInt4.
void SumsOfErrors(const float* group, const float* importance, int first, size_t count, float* sums) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const auto least = hn::Set(d, float{kInt4Least}), most = hn::Set(d, float{kInt4Most}), half = hn::Set(d, 0.5f);
  const auto lowest = hn::Set(whole, -kInt4LargestWeight), highest = hn::Set(whole, kInt4LargestWeight);
  for (size_t j = 0; j < count; j += hn::Lanes(d)) {
    const auto m = hn::Iota(whole, first + static_cast<int>(j));
    const auto eighths = hn::Div(hn::Set(d, 8.0f), hn::ConvertTo(d, m));
    auto sum = hn::Zero(d);
    for (size_t i = 0; i < kInt4Group; ++i) {
      const auto weight = hn::Set(d, group[i]);
      // q is shifted to 0 or more. Then adding 0.5 and dropping the fraction rounds it to the nearest.
      const auto q = hn::Min(hn::Max(hn::Mul(weight, eighths), least), most);
      const auto nearest = hn::Add(hn::ConvertTo(whole, hn::Add(hn::Sub(q, least), half)), hn::Set(whole, kInt4Least));
      // Its weight in int8.
      const auto product = hn::ShiftRight<3>(hn::Add(hn::Mul(nearest, m), hn::Set(whole, 4)));
      const auto rounded = hn::Min(hn::Max(product, lowest), highest);
      const auto error = hn::Sub(weight, hn::ConvertTo(d, rounded));
      const auto factor = hn::Set(d, importance != nullptr ? importance[i] : 1.0f);
      sum = hn::Add(sum, hn::Mul(hn::Mul(factor, error), error));
    }
    hn::StoreU(sum, d, sums + j);
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {
namespace {

constexpr size_t kHalf = kInt4Group / 2;

int Weight8(int q, int m) { return std::clamp((q * m + 4) >> 3, -kInt4LargestWeight, kInt4LargestWeight); }

// The number q whose weight is nearest to `weight`.
int Nearest(float weight, float eighths) {
  const float q = std::clamp(weight * eighths, float{kInt4Least}, float{kInt4Most});
  return static_cast<int>(q - kInt4Least + 0.5f) + kInt4Least;  // above 0 before it is cut, which rounds it
}

constexpr int kLargestByte = 255;
// Floats of the largest vector of the targets.
constexpr size_t kLargestVector = 16;

// The values of m to try: first to last.
struct Range {
  int first, last;
};

// With a smaller m the largest weight would be cut by more than a quarter. With a larger m no q would be 7 or -8.
Range RangeOf(const float* group) {
  float largest = 0;
  for (size_t i = 0; i < kInt4Group; ++i) largest = std::max(largest, std::abs(group[i]));
  const int first = std::clamp(static_cast<int>(0.75f * largest), 1, kLargestByte);
  return {first, std::clamp(static_cast<int>(8 / 6.5f * largest), first, kLargestByte)};
}

}  // namespace

HWY_EXPORT(SumsOfErrors);

int RoundToInt4(float weight, int m) { return Weight8(Nearest(weight, 8 / static_cast<float>(m)), m); }

int ChooseInt4Byte(const float* group, const float* importance) {
  const Range range = RangeOf(group);
  const size_t count = static_cast<size_t>(range.last - range.first + 1);
  float sums[kLargestByte + kLargestVector];
  HWY_DYNAMIC_DISPATCH(SumsOfErrors)(group, importance, range.first, count, sums);
  return range.first + static_cast<int>(std::min_element(sums, sums + count) - sums);
}

int ChooseInt4ByteNaive(const float* group, const float* importance) {
  const Range range = RangeOf(group);
  int best = range.first;
  float least = INFINITY;
  for (int m = range.first; m <= range.last; ++m) {
    float sum = 0;
    for (size_t i = 0; i < kInt4Group; ++i) {
      const float error = group[i] - static_cast<float>(RoundToInt4(group[i], m));
      sum += (importance != nullptr ? importance[i] : 1) * error * error;
    }
    if (sum >= least) continue;
    least = sum;
    best = m;
  }
  return best;
}

void UnpackInt4(const uint8_t* row, size_t inputs, int8_t* weights) {
  for (size_t group = 0; group < inputs; group += kInt4Group, row += kInt4GroupBytes, weights += kInt4Group) {
    for (size_t i = 0; i < kHalf; ++i) {
      const auto low = static_cast<int8_t>(row[1 + i] << 4), high = static_cast<int8_t>(row[1 + i] & 0xf0);
      weights[i] = static_cast<int8_t>(Weight8(low >> 4, row[0]));
      weights[i + kHalf] = static_cast<int8_t>(Weight8(high >> 4, row[0]));
    }
  }
}

void PackInt4(const float* weights, size_t inputs, float scale, uint8_t* row) {
  for (size_t first = 0; first < inputs; first += kInt4Group, row += kInt4GroupBytes) {
    float group[kInt4Group];  // in units of int8
    for (size_t i = 0; i < kInt4Group; ++i) group[i] = scale > 0 ? weights[first + i] / scale : 0;
    const int m = ChooseInt4Byte(group, nullptr);
    const float eighths = 8 / static_cast<float>(m);
    row[0] = static_cast<uint8_t>(m);
    for (size_t i = 0; i < kHalf; ++i) {
      const int low = Nearest(group[i], eighths), high = Nearest(group[i + kHalf], eighths);
      row[1 + i] = static_cast<uint8_t>((low & 15) | (high & 15) << 4);
    }
  }
}

}  // namespace qkv
#endif  // HWY_ONCE
