// Layer normalisation (Ba, Kiros and Hinton 2016).
#pragma once

#include "core/base/matrix.h"

namespace qkv {

// y = (x - mean(x)) / sqrt(var(x) + epsilon) * gain + bias, row by row, with the variance of the population.
// x, y [rows, d]; gain, bias [d]. y must not overlap x.
void LayerNorm(ConstMatrixView x, const float* gain, const float* bias, float epsilon, MatrixView y);
void LayerNormNaive(ConstMatrixView x, const float* gain, const float* bias, float epsilon, MatrixView y);

// y = LayerNorm(x + residual): the post-norm residual in one pass. y must not overlap x or residual.
void AddLayerNorm(ConstMatrixView x, ConstMatrixView residual, const float* gain, const float* bias, float epsilon,
                  MatrixView y);
void AddLayerNormNaive(ConstMatrixView x, ConstMatrixView residual, const float* gain, const float* bias, float epsilon,
                       MatrixView y);

}  // namespace qkv
