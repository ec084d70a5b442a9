#include "core/attention/window_backward.h"

namespace qkv {

void PredictPlaceBackward(ConstRows W, const float* v, const float* q, double keys, double dp, std::span<double> hidden,
                          float* dv, float* dproducts) {
  // With sigmoid s = p / S: dp / d(v' tanh) = S s (1 - s).
  const double p = PredictPlace(W, v, q, keys, hidden.data());
  const double d_sum = dp * p * (1 - p / keys);
  for (size_t c = 0; c < W.rows; ++c) {
    dv[c] += static_cast<float>(d_sum * hidden[c]);
    dproducts[c] = static_cast<float>(d_sum * v[c] * (1 - hidden[c] * hidden[c]));
  }
}

}  // namespace qkv
