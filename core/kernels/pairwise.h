// Scores of all pairs of queries and keys, for scores that are not a matrix product: additive attention and distances.
// Keys are packed in panels of kPanel keys, as weights are (core/kernels/packed.h).
#pragma once

#include <cstddef>

#include "core/base/matrix.h"

namespace qkv {

struct Pairs {
  const float* queries = nullptr;  // [rows, dim]
  size_t rows = 0, dim = 0;
  const float* keys = nullptr;  // packed [count, dim], count a multiple of kPanel
  size_t count = 0;
  const float* weight = nullptr;  // [dim]
  float* scores = nullptr;        // [rows, count], rows `stride` apart
  size_t stride = 0;
};

// score = sum_c weight_c tanh(q_c + k_c) (Bahdanau et al. 2014, appendix A.1.2).
void TanhSums(const Pairs& p);
void TanhSumsNaive(const Pairs& p);

// score = -sum_c (q_c - k_c)^2 / 2. Differences come first: points close to each other but far from the origin keep
// their precision.
void SquaredDistances(const Pairs& p);
void SquaredDistancesNaive(const Pairs& p);

}  // namespace qkv
