#include "core/layers/linear_backward.h"

#include <cassert>

#include "core/base/tape.h"
#include "core/kernels/columns.h"
#include "core/kernels/gemm.h"

namespace qkv {
namespace {

// y = x W' + b, g = dy: db += column sums of g, dW += g' x, dx += g W.
void Backward(const Context& ctx, const PackedMatrix& w, const float* bias, ConstMatrixView x, ConstMatrixView g) {
  const auto rows = static_cast<size_t>(x.rows());
  if (float* to = bias != nullptr ? ctx.tape->Gradient(bias) : nullptr) AddColumnSums(g, to, ctx.arena, ctx.pool);
  if (float* to = ctx.tape->Gradient(w.data())) {
    AddWeightGradient(rows, w.outputs(), w.inputs(), g.data(), x.data(), to, ctx.arena, ctx.pool,
                      ctx.tape->precision());
  }
  if (const Tape::Sum sum = ctx.tape->Into(x.data()); sum.to != nullptr) {
    GemmPacked(rows, {g.data(), w.outputs()}, w, {sum.to, w.inputs(), sum.add}, ctx.arena, ctx.pool,
               ctx.tape->precision());
  }
}

}  // namespace

void MultiplyRecorded(const Context& ctx, const Weight& weight, const float* bias, ConstMatrixView x,
                      Activation activation, MatrixView y) {
  assert(!weight.quantized());
  const PackedMatrix& w = weight.floats();
  if (ctx.tape->on_product) ctx.tape->on_product(w.data(), x);
  // The slope of max(x, 0) follows from its output. The other activations need their input.
  const bool fused = activation == Activation::kNone || activation == Activation::kRelu;
  const Activation now = fused ? activation : Activation::kNone;
  if (ctx.tape->precision() == Precision::kBf16) {
    MatMulBf16(x, w, bias, y, ctx.arena, ctx.pool);
    Activate(now, y);
  } else {
    MatMul(x, w, bias, now, y, ctx.pool);
  }
  // What the activation's backward reads: y for ReLU, the activation's input for the others.
  const float* given = y.data();
  if (!fused) {
    MatrixView copy = ctx.New(y.rows(), y.cols());
    copy = y;
    given = copy.data();
    Activate(activation, y);
  }
  ctx.tape->Record(View(y), [ctx, &w, bias, x, activation, y, given] {
    // First through the activation, in place, then through the product.
    float* g = ctx.tape->Gradient(y.data());
    const auto size = static_cast<size_t>(y.size());
    if (activation == Activation::kRelu) {
      ReluBackward(given, g, size, ctx.pool);
    } else if (activation != Activation::kNone) {
      ActivationBackward(activation, given, g, size, ctx.pool);
    }
    Backward(ctx, w, bias, x, {g, y.rows(), y.cols()});
  });
}

}  // namespace qkv
