#include "core/kernels/int4.h"

#include <algorithm>

#include "core/kernels/int4_choice.h"

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

}  // namespace

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
