// The backward of core/kernels/softmax.h, on a row.
#pragma once

#include <cstddef>

namespace qkv {

// In place: gradients g of the weights w = softmax(x) become those of x, w_i (g_i - sum_j w_j g_j). Where a weight is 0
// nothing passes, whatever its gradient is.
void SoftmaxBackward(const float* weights, float* gradient, size_t size);
void SoftmaxBackwardNaive(const float* weights, float* gradient, size_t size);

}  // namespace qkv
