// The feature map of linear attention (Katharopoulos et al. 2020, "Transformers are RNNs"): phi(x) = elu(x) + 1, which
// is above 0, so that phi(q)'phi(k) is a weight before normalisation.
#pragma once

#include "core/base/exponential.h"

namespace qkv {

inline float Feature(float x) { return x > 0 ? x + 1 : static_cast<float>(Exponential(x)); }
inline float FeatureSlope(float x) { return x > 0 ? 1 : static_cast<float>(Exponential(x)); }

}  // namespace qkv
