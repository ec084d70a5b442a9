#include "core/attention/window_backward.h"

namespace qkv {

void PredictPlaceBackward(ConstRows W, const float* v, const float* q, double keys, double dp, std::span<double> hidden,
                          float* dv, float* dproducts) {
  const double p = PredictPlace(W, v, q, keys, hidden.data());
  const double d_sum = dp * PlaceSlope(p, keys);
  for (size_t c = 0; c < W.rows; ++c) {
    dv[c] += static_cast<float>(d_sum * hidden[c]);
    dproducts[c] = static_cast<float>(d_sum * v[c] * (1 - hidden[c] * hidden[c]));
  }
}

}  // namespace qkv
