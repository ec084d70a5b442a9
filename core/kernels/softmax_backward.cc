#include "core/kernels/softmax_backward.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/softmax_backward.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void SoftmaxBackwardRow(const float* weights, float* gradient, size_t size) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  // Two chains, since an addition takes several cycles.
  auto even = zero, odd = zero;
  // Not Ne, which is false for NaN.
  const auto term = [&](auto w, auto g) HWY_ATTR { return hn::IfThenZeroElse(hn::Eq(w, zero), hn::Mul(w, g)); };
  size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    even = hn::Add(even, term(hn::LoadU(d, weights + i), hn::LoadU(d, gradient + i)));
    odd = hn::Add(odd, term(hn::LoadU(d, weights + i + lanes), hn::LoadU(d, gradient + i + lanes)));
  }
  for (; i < size; i += lanes) {
    const size_t n = HWY_MIN(lanes, size - i);
    even = hn::Add(even, term(hn::LoadN(d, weights + i, n), hn::LoadN(d, gradient + i, n)));
  }
  const auto mean = hn::Set(d, hn::ReduceSum(d, hn::Add(even, odd)));
  for (i = 0; i + lanes <= size; i += lanes) {
    hn::StoreU(term(hn::LoadU(d, weights + i), hn::Sub(hn::LoadU(d, gradient + i), mean)), d, gradient + i);
  }
  if (i < size) {
    const size_t n = size - i;
    hn::StoreN(term(hn::LoadN(d, weights + i, n), hn::Sub(hn::LoadN(d, gradient + i, n), mean)), d, gradient + i, n);
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(SoftmaxBackwardRow);

void SoftmaxBackward(const float* weights, float* gradient, size_t size) {
  HWY_DYNAMIC_DISPATCH(SoftmaxBackwardRow)(weights, gradient, size);
}

void SoftmaxBackwardNaive(const float* weights, float* gradient, size_t size) {
  float mean = 0;
  for (size_t i = 0; i < size; ++i) mean += weights[i] != 0 ? weights[i] * gradient[i] : 0;
  for (size_t i = 0; i < size; ++i) gradient[i] = weights[i] != 0 ? weights[i] * (gradient[i] - mean) : 0;
}

}  // namespace qkv
#endif  // HWY_ONCE
