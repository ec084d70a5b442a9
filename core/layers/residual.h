// The pre-norm residual: the input of a part of a layer plus its output.
#pragma once

#include "core/base/context.h"

namespace qkv {

// The backward of y = x + part, recorded: the context has a tape.
void RecordSum(const Context& ctx, ConstMatrixView x, ConstMatrixView part, MatrixView y);

// x + part, [rows, d].
inline MatrixView Add(Context& ctx, ConstMatrixView x, ConstMatrixView part) {
  MatrixView y = ctx.New(x.rows(), x.cols());
  const float *a = x.data(), *b = part.data();
  for (Eigen::Index i = 0; i < y.size(); ++i) y.data()[i] = a[i] + b[i];
  if (ctx.Recording() != nullptr) RecordSum(ctx, x, part, y);
  return y;
}

}  // namespace qkv
