// Layer normalisation without a residual: after an embedding, and before each part of a pre-norm layer.
#pragma once

#include "core/layers/norm.h"

namespace qkv {

// norm(x), [rows, d].
inline MatrixView Forward(Context& ctx, const Norm& norm, ConstMatrixView x) {
  MatrixView y = ctx.New(x.rows(), x.cols());
  if (ctx.Recording() != nullptr) {
    NormRecorded(ctx, norm, x, nullptr, y);
    return y;
  }
  LayerNorm(x, norm.gain.data(), norm.bias.data(), norm.epsilon, y);
  return y;
}

}  // namespace qkv
