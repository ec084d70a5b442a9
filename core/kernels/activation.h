// Elementwise activations.
#pragma once

#include "core/base/matrix.h"

namespace qkv {

enum class Activation {
  kNone,
  kRelu,      // max(x, 0)
  kSilu,      // x sigmoid(x), also called swish
  kGelu,      // x Phi(x) with the normal distribution's Phi (Hendrycks and Gimpel 2016)
  kGeluTanh,  // the same paper's approximation, x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)): GPT-2's
  kTanh,
  kGeluSigmoid,  // x sigmoid(1.702 x), the same paper's other approximation: Marian's gelu, "quick_gelu" elsewhere
};

inline constexpr float kGeluSteepness = 1.702f;  // of kGeluSigmoid

// In place, any shape.
void Activate(Activation activation, MatrixView x);
void ActivateNaive(Activation activation, MatrixView x);

}  // namespace qkv
