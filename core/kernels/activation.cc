#include "core/kernels/activation.h"

#include <cmath>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/activation.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/activation-inl.h"

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(ActivateRun);

void Activate(Activation activation, MatrixView x) {
  if (activation == Activation::kNone) return;
  HWY_DYNAMIC_DISPATCH(ActivateRun)(activation, x.data(), static_cast<size_t>(x.size()));
}

void ActivateNaive(Activation activation, MatrixView x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    float& v = x.data()[i];
    if (activation == Activation::kRelu) v = v < 0 ? 0 : v;
    if (activation == Activation::kSilu) v = v / (1 + std::exp(-v));
    if (activation == Activation::kGeluSigmoid) v = v / (1 + std::exp(-kGeluSteepness * v));
    if (activation == Activation::kGelu) v = v / 2 * std::erfc(-v / std::sqrt(2.0f));
    if (activation == Activation::kGeluTanh) {
      v = v / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi_v<float>) * (v + 0.044715f * v * v * v)));
    }
    if (activation == Activation::kTanh) v = std::tanh(v);
  }
}

}  // namespace qkv
#endif  // HWY_ONCE
