// y = act(x W' + b).
#pragma once

#include "core/base/context.h"
#include "core/kernels/matmul.h"
#include "core/kernels/matmul_int8.h"
#include "core/layers/linear_backward.h"
#include "core/layers/weight.h"

namespace qkv {

struct Linear {
  Weight weight;  // [outputs, inputs]
  Vector bias;    // [outputs], or empty for none
};

// The input of products: rows of floats. The first int8 weight quantises them; later products use the same quantised
// rows. It lives as long as the arena scope in which it is first read.
class Operand {
 public:
  Operand(ConstMatrixView x) : x_(x) {}
  Operand(const MatrixView& x) : x_(View(x)) {}

  ConstMatrixView floats() const { return x_; }
  const QuantizedRows& Quantized(Context& ctx) const {
    if (quantized_.data == nullptr) quantized_ = Quantize(x_, ctx.arena);
    return quantized_;
  }

 private:
  ConstMatrixView x_;
  mutable QuantizedRows quantized_;
};

// x [rows, inputs] -> y, a view of [rows, outputs] that the caller gives.
inline void ForwardInto(Context& ctx, const Linear& layer, const Operand& x, Activation activation, MatrixView y) {
  const float* const bias = layer.bias.size() != 0 ? layer.bias.data() : nullptr;
  if (ctx.Recording() != nullptr) {
    MultiplyRecorded(ctx, layer.weight, bias, x.floats(), activation, y);
  } else if (layer.weight.quantized()) {
    MatMul(x.Quantized(ctx), layer.weight.int8(), bias, activation, y, ctx.pool);
  } else {
    MatMul(x.floats(), layer.weight.floats(), bias, activation, y, ctx.pool);
  }
}

// x [rows, inputs] -> [rows, outputs] in the context's arena.
inline MatrixView Forward(Context& ctx, const Linear& layer, const Operand& x,
                          Activation activation = Activation::kNone) {
  MatrixView y = ctx.New(x.floats().rows(), static_cast<Eigen::Index>(layer.weight.outputs()));
  ForwardInto(ctx, layer, x, activation, y);
  return y;
}

}  // namespace qkv
