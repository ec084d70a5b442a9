// Products of operands that lie either way, which backwards need: y (+)= a b. One packed kernel
// (core/kernels/matmul.h) computes all of them; what differs is how its operands are brought into place.
#pragma once

#include "core/base/arena.h"
#include "core/base/precision.h"
#include "core/base/threads.h"
#include "core/kernels/matmul.h"
#include "core/kernels/packed.h"

namespace qkv {

// A matrix as a factor: element (i, j) is at data[i * stride + j], or, transposed, at data[j * stride + i].
struct Factor {
  const float* data = nullptr;
  size_t stride = 0;
  bool transposed = false;
};
inline Factor Transposed(Factor f) { return {f.data, f.stride, !f.transposed}; }

// Where a result goes: rows `stride` apart, panels of kPanel columns `panel_stride` apart.
struct Result2d {
  float* data = nullptr;
  size_t stride = 0;
  bool add = false;
  size_t panel_stride = kPanel;
};

// Whether this processor has products of bfloat16 that are faster than those of floats, and lets us use them.
bool HasBf16();

// y [m, n] (+)= a [m, k] b [k, n]; y overlaps neither. Each element is summed over k in one fixed order, on any number
// of threads.
void Gemm(size_t m, size_t n, size_t k, Factor a, Factor b, Result2d y, Arena& arena, ThreadPool& pool,
          Precision precision = Precision::kFloat);

// y [m, inputs] (+)= a [m, outputs] W: what a product by W' passes back to its operand.
void GemmPacked(size_t m, Factor a, const PackedMatrix& w, Result2d y, Arena& arena, ThreadPool& pool,
                Precision precision = Precision::kFloat);

// The gradient of a packed weight, which lies as W does: [outputs, inputs] += a' x, a [rows, outputs], x [rows,
// inputs].
void AddWeightGradient(size_t rows, size_t outputs, size_t inputs, const float* a, const float* x, float* gradient,
                       Arena& arena, ThreadPool& pool, Precision precision = Precision::kFloat);

// y [rows, outputs] = x W', x [rows, inputs], in bfloat16, where HasBf16().
void MatMulBf16(ConstMatrixView x, const PackedMatrix& w, MatrixView y, Arena& arena, ThreadPool& pool);

}  // namespace qkv
