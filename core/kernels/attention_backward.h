// The backward of scaled dot-product attention over one segment (core/kernels/attention.h), from the weights that the
// forward stored. P are the weights, D the weights after dropout, and O = D V:
//
//   d_D = d_O V', d_V = D' d_O, d_P = d_D through the dropout,
//   d_S = P (d_P - rowsum(P d_P)), d_Q = scale d_S K, d_K = scale d_S' Q.
#pragma once

#include "core/kernels/attention.h"

namespace qkv {

// O = D V again, for weights that dropout has changed; `dropped` [heads, queries, keys].
void MultiplyWeights(const ScaledDotAttention& a, const float* dropped);

// d_D [heads, queries, keys] from d_O, which has the layout of the output. 0 where a query does not see the key.
void WeightsBackward(const ScaledDotAttention& a, const float* d_output, float* d_weights);

// Adds to d_Q, d_K and d_V, which have the layouts of query, key and value. `a.weights` are P. d_weights holds d_P on
// entry and is overwritten.
void ScoresBackward(const ScaledDotAttention& a, const float* dropped, const float* d_output, float* d_weights,
                    float* d_query, float* d_key, float* d_value);

}  // namespace qkv
