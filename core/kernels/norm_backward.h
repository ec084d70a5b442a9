// The backward of layer normalisation.
#pragma once

#include "core/base/arena.h"
#include "core/base/matrix.h"
#include "core/base/threads.h"

namespace qkv {

// With z = x + residual (null: z = x), n = (z - mean) / sqrt(var + epsilon) and y = n gain + bias:
//   d_z    = (g - mean(g) - n mean(g n)) / sqrt(var + epsilon), g = d_y gain
//   d_gain += sum over rows of d_y n, d_bias += sum over rows of d_y.
// x, residual, d_y, d_z [rows, d]; d_z may be d_y.
void LayerNormBackward(ConstMatrixView x, const float* residual, const float* gain, float epsilon, ConstMatrixView d_y,
                       float* d_z, float* d_gain, float* d_bias, Arena& arena, ThreadPool& pool);

}  // namespace qkv
