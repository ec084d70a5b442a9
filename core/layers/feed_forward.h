// The position-wise feed-forward network (Vaswani et al. 2017, equation 2): act(x W1' + b1) W2' + b2.
#pragma once

#include "core/layers/dropout.h"
#include "core/layers/linear.h"

namespace qkv {

struct FeedForward {
  Linear in, out;
  Activation activation = Activation::kRelu;
  float dropout = 0;  // of the hidden units, while training
};

inline MatrixView Forward(Context& ctx, const FeedForward& layer, const Operand& x) {
  MatrixView hidden = Forward(ctx, layer.in, x, layer.activation);
  Dropout(ctx, layer.dropout, hidden);
  return Forward(ctx, layer.out, hidden);
}

}  // namespace qkv
