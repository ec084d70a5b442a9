// Elementwise activations.
#pragma once

#include "core/base/matrix.h"

namespace qkv {

enum class Activation {
  kNone,
  kRelu,  // max(x, 0)
  kSilu,  // x sigmoid(x), also called swish
};

// In place, any shape.
void Activate(Activation activation, MatrixView x);
void ActivateNaive(Activation activation, MatrixView x);

}  // namespace qkv
