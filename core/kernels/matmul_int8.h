// Products of quantised rows and quantised weights: y[r, o] = act(s_r s_o sum_i (q_ri - z_r) w_oi + b_o). The sum is
// exact in 32 bits, and each operation after it is rounded separately. The bits are the same on every target, for any
// number of rows and threads.
#pragma once

#include "core/base/threads.h"
#include "core/kernels/activation.h"
#include "core/kernels/quantized.h"

namespace qkv {

// By all of w, in panels. bias [outputs] or null; y [rows, outputs].
void MatMul(const QuantizedRows& x, const QuantizedMatrix& w, const float* bias, Activation activation, MatrixView y,
            ThreadPool& pool);

// The same product by some rows of w. w must have the layout kRows. `pieces` are the indices of the rows; each is below
// w.outputs(). x [rows, inputs], bias [outputs] or null, y [rows, pieces.size()].
void MatMulRows(const QuantizedRows& x, const QuantizedMatrix& w, std::span<const int32_t> pieces, const float* bias,
                MatrixView y, ThreadPool& pool);

// The same product by y.cols() rows of w, starting at row `first`. w may have either layout. `first` must be a multiple
// of kPanel. bias [outputs] or null. Each output has the same bits as in MatMul.
void MatMulOutputs(const QuantizedRows& x, const QuantizedMatrix& w, size_t first, const float* bias, MatrixView y,
                   ThreadPool& pool);

// The same one number at a time, for both layouts: the reference for the tests.
void MatMulNaive(const QuantizedRows& x, const QuantizedMatrix& w, const float* bias, Activation activation,
                 MatrixView y);

}  // namespace qkv
