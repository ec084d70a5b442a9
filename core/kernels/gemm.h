// y (+)= a b for operands that may be transposed, as backward passes need. One packed kernel (core/kernels/matmul.h)
// computes all of them; only the packing of the operands differs.
#pragma once

#include "core/base/arena.h"
#include "core/base/precision.h"
#include "core/base/threads.h"
#include "core/kernels/factor.h"
#include "core/kernels/matmul.h"
#include "core/kernels/packed.h"

namespace qkv {

// y [m, n] (+)= a [m, k] b [k, n]; y overlaps neither. Each element is summed over k in one fixed order, on any number
// of threads.
void Gemm(size_t m, size_t n, size_t k, Factor a, Factor b, Result2d y, Arena& arena, ThreadPool& pool,
          Precision precision = Precision::kFloat);

// y [m, inputs] (+)= a [m, outputs] W: the gradient of x for y = x W'.
void GemmPacked(size_t m, Factor a, const PackedMatrix& w, Result2d y, Arena& arena, ThreadPool& pool,
                Precision precision = Precision::kFloat);

// The gradient of a packed weight, in the layout of W: [outputs, inputs] += a' x, a [rows, outputs], x [rows, inputs].
void AddWeightGradient(size_t rows, size_t outputs, size_t inputs, const float* a, const float* x, float* gradient,
                       Arena& arena, ThreadPool& pool, Precision precision = Precision::kFloat);

// y [rows, outputs] = x W' + bias, x [rows, inputs], bias [outputs] or null, in bfloat16, where HasBf16()
// (core/kernels/gemm_bf16.h).
void MatMulBf16(ConstMatrixView x, const PackedMatrix& w, const float* bias, MatrixView y, Arena& arena,
                ThreadPool& pool);

}  // namespace qkv
