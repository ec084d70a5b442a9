// The recorded form of y = act(x W' + b), for training.
#pragma once

#include "core/base/context.h"
#include "core/kernels/activation.h"
#include "core/layers/weight.h"

namespace qkv {

// The context has a tape, and the weight is of floats. bias [outputs] or null; y [rows, outputs]. Backward:
//   g = d_y act'(.), d_x = g W, d_W = g' x, d_b = the sum of g's rows.
void MultiplyRecorded(const Context& ctx, const Weight& weight, const float* bias, ConstMatrixView x,
                      Activation activation, MatrixView y);

}  // namespace qkv
