// Layer normalisation with its parameters, alone and as the Transformer's post-norm residual.
#pragma once

#include "core/base/context.h"
#include "core/kernels/norm.h"

namespace qkv {

struct Norm {
  Vector gain, bias;  // [d]
  float epsilon = 1e-5f;
};

// norm(x + residual), [rows, d].
inline MatrixView AddNorm(Context& ctx, const Norm& norm, ConstMatrixView x, ConstMatrixView residual) {
  MatrixView y = ctx.New(x.rows(), x.cols());
  AddLayerNorm(x, residual, norm.gain.data(), norm.bias.data(), norm.epsilon, y);
  return y;
}

}  // namespace qkv
