// The gradients from which the backward of attention starts.
#pragma once

#include <cstdint>

#include "core/attention/heads.h"

namespace qkv {

// Gradients of a loss with respect to the results of attention. Each may be left out.
struct AttentionLoss {
  ConstHeads output = {};          // [H, queries, dv]
  const float* weights = nullptr;  // [H, queries, keys], of AttentionRecord's weights; not with several segments

  // With respect to Likelihood's results, [H, queries] each. `chosen` are its keys; null: those that the sampled
  // selection drew.
  const int32_t* chosen = nullptr;
  const float* log_likelihood = nullptr;
  const float* entropy = nullptr;
};

}  // namespace qkv
