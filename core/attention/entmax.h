// Weights with exact zeros: alpha-entmax (Peters et al. 2019, "Sparse sequence-to-sequence models"), which is the
// softmax at alpha = 1 and sparsemax (Martins and Astudillo 2016) at alpha = 2.
//
//   p_j = [(alpha - 1) z_j - tau]_+ ^ (1 / (alpha - 1)), with the tau for which they sum to 1
#pragma once

#include <cstddef>

#include "core/attention/mask.h"

namespace qkv {

// Beyond it the power is below 1/2, and a rounding of tau would show in the weights.
inline constexpr float kLargestAlpha = 3;

// Logits become weights in place, for 1 < alpha <= kLargestAlpha. A kMasked logit becomes 0; the row holds no NaN. tau
// is computed in double: at alpha = 2 and 1.5 by Newton's method, which ends at its rounding, otherwise by bisection to
// neighbouring numbers. A weight is then within 2^-24 of its size, and of e tau's rounding: 10^-8 at most.
void Entmax(double alpha, KeyRange range, float* row);

// Gradients of weights p become those of logits in place, for alpha = 1 too: with s_j = p_j^(2 - alpha) where p_j > 0,
// dz_j = s_j (dp_j - sum(s dp) / sum(s)).
void EntmaxBackward(double alpha, const float* p, float* gradient, size_t count);

}  // namespace qkv
