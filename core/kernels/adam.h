// One step of Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019).
#pragma once

#include <cstddef>

#include "core/base/threads.h"

namespace qkv {

struct AdamStep {
  float rate = 0;                      // alpha
  float beta1 = 0.9f, beta2 = 0.999f;  // of the moments
  float epsilon = 1e-8f;
  float decay = 0;                  // each step subtracts rate * decay * weight
  float scale = 1;                  // for clipping: the gradient is multiplied by it first
  double unbias1 = 1, unbias2 = 1;  // 1 - beta^t of each moment, t counting from 1
};

// m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
// w -= rate (m / unbias1 / (sqrt(v / unbias2) + epsilon) + decay w). All arrays have `size` floats.
void UpdateAdam(const AdamStep& step, const float* gradient, float* m, float* v, float* weight, size_t size,
                ThreadPool& pool);

// sum x^2. The order of summation does not depend on the number of threads.
double SumOfSquares(const float* x, size_t size, ThreadPool& pool);

// average += share (x - average).
void Approach(const float* x, float share, float* average, size_t size, ThreadPool& pool);

}  // namespace qkv
