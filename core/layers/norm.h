// Layer normalisation with its parameters: alone, and as the Transformer's post-norm residual.
#pragma once

#include "core/base/context.h"
#include "core/kernels/norm.h"

namespace qkv {

struct Norm {
  Vector gain, bias;  // [d]
  float epsilon = 1e-5f;
};

// Records y = norm(x), or norm(x + residual) if there is a residual. The context has a tape.
void NormRecorded(const Context& ctx, const Norm& norm, ConstMatrixView x, const float* residual, MatrixView y);

// norm(x), [rows, d]: after an embedding, and before each part of a pre-norm layer.
inline MatrixView Forward(Context& ctx, const Norm& norm, ConstMatrixView x) {
  MatrixView y = ctx.New(x.rows(), x.cols());
  if (ctx.Recording() != nullptr) {
    NormRecorded(ctx, norm, x, nullptr, y);
    return y;
  }
  LayerNorm(x, norm.gain.data(), norm.bias.data(), norm.epsilon, y);
  return y;
}

// norm(x + residual), [rows, d]: after each part of a post-norm layer.
inline MatrixView AddNorm(Context& ctx, const Norm& norm, ConstMatrixView x, ConstMatrixView residual) {
  MatrixView y = ctx.New(x.rows(), x.cols());
  if (ctx.Recording() != nullptr) {
    NormRecorded(ctx, norm, x, residual.data(), y);
    return y;
  }
  AddLayerNorm(x, residual, norm.gain.data(), norm.bias.data(), norm.epsilon, y);
  return y;
}

}  // namespace qkv
