// Products in bfloat16, summed in float32, for training only (core/kernels/gemm.h). With Intel's AMX they take a
// quarter of the time of float32. AVX-512's own dot product of bfloat16 is slower than float32: on one core it was
// measured at 117 GFLOP/s, float32's multiply-add at 237, and AMX at 1,594.
#pragma once

#include "core/base/arena.h"
#include "core/base/function_ref.h"
#include "core/base/threads.h"
#include "core/kernels/factor.h"

namespace qkv {

// Whether this processor has bfloat16 products that are faster than float products, and the system lets us use them.
bool HasBf16();

// Rows [k0, k1) and columns [n0, n1) of b in panels: element (k, n) at to[(n / kPanel * depth + k) * kPanel + n %
// kPanel], counted from k0 and n0.
using PackBlock = FunctionRef<void(size_t k0, size_t k1, size_t n0, size_t n1, float* to)>;

// y [m, n] (+)= a [m, k] b [k, n], where HasBf16(); m, n and k are above 0. Operands are rounded to the nearest, ties
// to even; each element is summed in one order, on any number of threads. If y.add is false, `bias` [n] is added to
// each row of y. `bias` may be null.
void MultiplyBf16(size_t m, size_t n, size_t k, Factor a, PackBlock b, const float* bias, const Result2d& y,
                  Arena& arena, ThreadPool& pool);

}  // namespace qkv
