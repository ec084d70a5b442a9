// Small loops of backward passes: the sum over a gradient's rows, and the slope of an activation.
#pragma once

#include "core/base/arena.h"
#include "core/base/matrix.h"
#include "core/base/threads.h"
#include "core/kernels/activation.h"

namespace qkv {

// sum[c] += sum over rows of x[r, c], in an order that depends on the number of rows alone.
void AddColumnSums(ConstMatrixView x, float* sum, Arena& arena, ThreadPool& pool);

// In place: gradient[i] becomes 0 where y[i] = max(x, 0) is 0.
void ReluBackward(const float* y, float* gradient, size_t size, ThreadPool& pool);

// In place: gradient[i] *= act'(x[i]), x the input of the activation.
void ActivationBackward(Activation activation, const float* x, float* gradient, size_t size, ThreadPool& pool);

// to += from.
void AddTo(const float* from, float* to, size_t size, ThreadPool& pool);

}  // namespace qkv
