#include "core/kernels/int4.h"

#include <algorithm>
#include <cmath>

namespace qkv {
namespace {

constexpr size_t kHalf = kInt4Group / 2;
constexpr int kLeast = -8, kMost = 7;
constexpr int kLargest = 127;  // of int8

int Weight8(int q, int m) { return std::clamp((q * m + 4) >> 3, -kLargest, kLargest); }

// The number q whose weight is nearest to `weight`.
int Nearest(float weight, float eighths) {
  const float q = std::clamp(weight * eighths, static_cast<float>(kLeast), static_cast<float>(kMost));
  return static_cast<int>(q - kLeast + 0.5f) + kLeast;  // above 0 before it is cut, which rounds it
}

// The weighted sum of squares by which a group's weights differ with the byte `m`.
float Difference(const float* weights, const float* importance, int m) {
  const float eighths = 8 / static_cast<float>(m);
  float sum = 0;
  for (size_t i = 0; i < kInt4Group; ++i) {
    const float difference = weights[i] - static_cast<float>(Weight8(Nearest(weights[i], eighths), m));
    sum += (importance != nullptr ? importance[i] : 1) * difference * difference;
  }
  return sum;
}

}  // namespace

// Tries every m with which the largest weight is rounded to q = 7 or -8, or is up to a quarter larger than these can
// express.
int ChooseInt4Byte(const float* weights, const float* importance) {
  float largest = 0;
  for (size_t i = 0; i < kInt4Group; ++i) largest = std::max(largest, std::abs(weights[i]));
  const int first = std::clamp(static_cast<int>(0.75f * largest), 1, 255),
            last = std::min(static_cast<int>(8 / 6.5f * largest), 255);
  int best = first;
  float least = Difference(weights, importance, first);
  for (int m = first + 1; m <= last; ++m) {
    const float difference = Difference(weights, importance, m);
    if (difference >= least) continue;
    least = difference;
    best = m;
  }
  return best;
}

int RoundToInt4(float weight, int m) { return Weight8(Nearest(weight, 8 / static_cast<float>(m)), m); }

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
