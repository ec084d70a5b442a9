// Cross-entropy of a classifier, and its gradient.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/matrix.h"
#include "core/base/threads.h"

namespace qkv {

// Cross-entropy with label smoothing (Szegedy et al. 2016): -sum_j q_j log softmax(z)_j with q = (1 - smoothing) for
// the target, plus smoothing / classes for each class. Each row of `logits` [rows, classes] becomes its gradient
// times `scale`; returns sums over rows. 0 <= target < classes.
struct CrossEntropySums {
  double loss = 0;      // with smoothing
  double negative = 0;  // -log softmax(z)_target
};
CrossEntropySums CrossEntropy(MatrixView logits, std::span<const int32_t> targets, float smoothing, float scale,
                              ThreadPool& pool);

}  // namespace qkv
