// The backward of core/kernels/pairwise.h: gradients of queries, keys and the weight from those of the scores.
#pragma once

#include <cstddef>

#include "core/kernels/pairwise.h"

namespace qkv {

struct PairsGradient {
  const float* scores =
      nullptr;  // [rows, count], rows `stride` apart; a 0 passes no gradient, even if the key holds NaN
  size_t stride = 0;
  float* queries = nullptr;  // [rows, dim], added to
  float* keys = nullptr;     // packed [count, dim] as the keys are, added to
  float* weight = nullptr;   // [dim], added to; null for scores without one
};

// The largest number of rows in one call.
inline constexpr size_t kPairRows = 48;

// The scores of `p` are not read. Each gradient is summed in one fixed order. p.rows <= kPairRows.
void TanhSumsBackward(const Pairs& p, const PairsGradient& g);
void TanhSumsBackwardNaive(const Pairs& p, const PairsGradient& g);

void SquaredDistancesBackward(const Pairs& p, const PairsGradient& g);
void SquaredDistancesBackwardNaive(const Pairs& p, const PairsGradient& g);

}  // namespace qkv
