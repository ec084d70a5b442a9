// The backward of core/kernels/softmax.h, on a row.
#pragma once

#include <cstddef>

namespace qkv {

// In place: gradients g of the weights w = softmax(x) become those of x, w_i (g_i - sum_j w_j g_j). A weight of 0
// passes no gradient, even if g is NaN there.
void SoftmaxBackward(const float* weights, float* gradient, size_t size);
void SoftmaxBackwardNaive(const float* weights, float* gradient, size_t size);

}  // namespace qkv
