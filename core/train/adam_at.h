// Adam's step number t, with the gradient clipped.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/kernels/adam.h"

namespace qkv {

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.98;  // of the moments
  double epsilon = 1e-9;             // of the division
  double clip = 1;                   // the largest norm of the gradient; 0: no clipping
};

// `step` is counted from 1; `gradient` is the norm of the gradient. Weight decay is not set, because it differs between
// parameters.
inline AdamStep AdamStepAt(const AdamOptions& options, uint64_t step, double rate, double gradient) {
  AdamStep adam;
  adam.rate = static_cast<float>(rate);
  adam.beta1 = static_cast<float>(options.beta1);
  adam.beta2 = static_cast<float>(options.beta2);
  adam.epsilon = static_cast<float>(options.epsilon);
  if (options.clip > 0 && gradient > options.clip) adam.scale = static_cast<float>(options.clip / gradient);
  adam.unbias1 = 1 - std::pow(options.beta1, static_cast<double>(step));
  adam.unbias2 = 1 - std::pow(options.beta2, static_cast<double>(step));
  return adam;
}

}  // namespace qkv
