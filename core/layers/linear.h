// y = act(x W' + b).
#pragma once

#include "core/base/context.h"
#include "core/kernels/matmul.h"

namespace qkv {

struct Linear {
  PackedMatrix weight;  // [outputs, inputs]
  Vector bias;          // [outputs], or empty for none
};

// x [rows, inputs] -> y, a view of [rows, outputs] that the caller gives.
inline void ForwardInto(Context& ctx, const Linear& layer, ConstMatrixView x, Activation activation, MatrixView y) {
  MatMul(x, layer.weight, layer.bias.size() != 0 ? layer.bias.data() : nullptr, activation, y, ctx.pool);
}

// x [rows, inputs] -> [rows, outputs] in the context's arena.
inline MatrixView Forward(Context& ctx, const Linear& layer, ConstMatrixView x,
                          Activation activation = Activation::kNone) {
  MatrixView y = ctx.New(x.rows(), static_cast<Eigen::Index>(layer.weight.outputs()));
  ForwardInto(ctx, layer, x, activation, y);
  return y;
}

}  // namespace qkv
