// Products on packed weights, with bias and activation in the epilogue.
#pragma once

#include "core/base/threads.h"
#include "core/kernels/activation.h"
#include "core/kernels/packed.h"

namespace qkv {

// y = act(x W' + b). x [rows, inputs], W [outputs, inputs] packed, b [outputs] or null, y [rows, outputs]; y must not
// overlap x. Each output is summed over its inputs in one fixed order, whatever the number of rows and threads: alone
// and in a batch are equal bit for bit on one target.
void MatMul(ConstMatrixView x, const PackedMatrix& w, const float* bias, Activation activation, MatrixView y,
            ThreadPool& pool);

// The equation, as plainly as it can be said: the oracle of the one above.
void MatMulNaive(ConstMatrixView x, const PackedMatrix& w, const float* bias, Activation activation, MatrixView y);

}  // namespace qkv
