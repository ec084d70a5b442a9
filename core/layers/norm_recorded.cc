// The recorded form of layer normalisation, for training.
#include "core/kernels/norm_backward.h"
#include "core/layers/norm.h"
#include "core/layers/pass_on.h"

namespace qkv {
namespace {

void Backward(const Context& ctx, const Norm& norm, ConstMatrixView x, const float* residual, MatrixView y) {
  const auto size = static_cast<size_t>(y.size());
  MatrixView g(ctx.tape->Gradient(y.data()), y.rows(), y.cols());
  const ArenaScope scope(ctx.arena);
  const auto parameter = [&](const Vector& of) {
    float* to = ctx.tape->Gradient(of.data());
    // frozen weight: the gradient is not used
    return to != nullptr ? to : ctx.arena.Floats(static_cast<size_t>(of.size()));
  };
  float *gain = parameter(norm.gain), *bias = parameter(norm.bias);
  LayerNormBackward(x, residual, norm.gain.data(), norm.epsilon, View(g), g.data(), gain, bias, ctx.arena, ctx.pool);
  for (const float* operand : {x.data(), residual}) {
    PassOn(ctx, g.data(), operand, size);
  }
}

}  // namespace

void NormRecorded(const Context& ctx, const Norm& norm, ConstMatrixView x, const float* residual, MatrixView y) {
  constexpr size_t kRows = 32;
  const auto columns = y.cols();
  ctx.pool.For(static_cast<size_t>(y.rows()), kRows, [&](size_t begin, size_t end) {
    const auto at = static_cast<Eigen::Index>(begin) * columns, rows = static_cast<Eigen::Index>(end - begin);
    const ConstMatrixView part(x.data() + at, rows, columns);
    const MatrixView to(y.data() + at, rows, columns);
    if (residual != nullptr) {
      AddLayerNorm(part, {residual + at, rows, columns}, norm.gain.data(), norm.bias.data(), norm.epsilon, to);
    } else {
      LayerNorm(part, norm.gain.data(), norm.bias.data(), norm.epsilon, to);
    }
  });
  ctx.tape->Record(View(y), [ctx, &norm, x, residual, y] { Backward(ctx, norm, x, residual, y); });
}

}  // namespace qkv
