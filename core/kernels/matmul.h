// Products on packed weights, with bias and activation in the epilogue.
#pragma once

#include "core/base/threads.h"
#include "core/kernels/activation.h"
#include "core/kernels/packed.h"

namespace qkv {

// The arguments of the kernel: y[r, o] = act(sum_i x[r, i] w[o, i] + bias[o]). Operands have strides, so they may be
// parts of larger arrays.
struct Product {
  const float* x = nullptr;  // [rows, inputs]
  size_t x_stride = 0;
  const float* w = nullptr;  // panels of kPanel outputs (core/kernels/packed.h), 64-byte aligned
  size_t panel_stride = 0;   // floats between two panels
  size_t inputs = 0, outputs = 0;
  const float* bias = nullptr;  // [outputs] or null
  Activation activation = Activation::kNone;
  float* y = nullptr;  // [rows, outputs], overlapping nothing
  size_t y_stride = 0;
  // For training, which adds to gradients; those of weights have the panels of their weights.
  bool add = false;                // y += ; without bias or activation
  size_t y_panel_stride = kPanel;  // floats between a row's panels of kPanel outputs
};

// A product by all of w. The caller sets x and y.
Product Whole(const PackedMatrix& w);

// On the calling thread.
void Multiply(const Product& p, size_t rows);

// y = act(x W' + b). x [rows, inputs], W [outputs, inputs] packed, b [outputs] or null, y [rows, outputs]; y must not
// overlap x. Each output is summed over its inputs in one fixed order, whatever the number of rows and threads: on one
// target a row alone and in a batch has the same bits.
void MatMul(ConstMatrixView x, const PackedMatrix& w, const float* bias, Activation activation, MatrixView y,
            ThreadPool& pool);

// Computes y.cols() outputs of x W' + b, starting at output `first`. `first` must be a multiple of kPanel. b [outputs]
// or null. Each output has the same bits as in MatMul.
void MatMulOutputs(ConstMatrixView x, const PackedMatrix& w, size_t first, const float* bias, MatrixView y,
                   ThreadPool& pool);

// The same in plain loops: the reference for the tests.
void MatMulNaive(ConstMatrixView x, const PackedMatrix& w, const float* bias, Activation activation, MatrixView y);

}  // namespace qkv
