// Activations on a row of floats, for activation.h and for the epilogue of products.
#if defined(QKV_KERNELS_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QKV_KERNELS_ACTIVATION_INL_H_
#undef QKV_KERNELS_ACTIVATION_INL_H_
#else
#define QKV_KERNELS_ACTIVATION_INL_H_
#endif

#include "core/kernels/activation.h"
#include "core/kernels/softmax-inl.h"
#include "core/kernels/targets.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Uses a comparison, because Max loses a NaN on x86.
template <class D, class V>
HWY_INLINE V Relu(D d, V x) {
  return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
}

// x sigmoid(s x): with e = exp(-|s x|), x / (1 + e) for x >= 0 and x e / (1 + e) below. The same bits on every target.
template <class D, class V>
HWY_INLINE V Silu(D d, V x, float s) {
  const V power = hn::Neg(hn::Abs(hn::Mul(x, hn::Set(d, s))));
  const V e = ExpNegative(d, power, [](V a, V b, V c) HWY_ATTR { return hn::Add(hn::Mul(a, b), c); });
  const V y = hn::Div(x, hn::Add(hn::Set(d, 1.0f), e));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(y, e), y);
}

// x sigmoid(2 u) = x / (1 + e) or x e / (1 + e), as Silu is.
template <class D, class V>
HWY_INLINE V GeluTanh(D d, V x) {
  const V cube = hn::Mul(hn::Mul(x, x), x);
  const V twice = hn::Mul(hn::Add(x, hn::Mul(cube, hn::Set(d, 0.044715f))), hn::Set(d, 1.5957691216f));
  const V e = ExpNegative(d, hn::Neg(hn::Abs(twice)), [](V a, V b, V c) HWY_ATTR { return hn::Add(hn::Mul(a, b), c); });
  const V y = hn::Div(x, hn::Add(hn::Set(d, 1.0f), e));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(y, e), y);
}

// x Phi(x), Phi(-z) = erfc(z / sqrt 2) / 2. With t = 1 / (1 + z / 2), erfc(z) = t exp(-z^2 + p(t)), p a Chebyshev fit
// whose relative error is below 1.2e-7 for every z >= 0 (Press et al., "Numerical Recipes in C", 1992, section 6.2).
template <class D, class V>
HWY_INLINE V Gelu(D d, V x) {
  constexpr float kFit[] = {0.17087277f,  -0.82215223f, 1.48851587f, -1.13520398f, 0.27886807f,
                            -0.18628806f, 0.09678418f,  0.37409196f, 1.00002368f,  -1.26551223f};
  const V z = hn::Mul(hn::Abs(x), hn::Set(d, 0.70710678f));
  const V t = hn::Div(hn::Set(d, 1.0f), hn::Add(hn::Set(d, 1.0f), hn::Mul(z, hn::Set(d, 0.5f))));
  V p = hn::Set(d, kFit[0]);
  for (size_t i = 1; i < 10; ++i) p = hn::Add(hn::Mul(p, t), hn::Set(d, kFit[i]));
  // The fit is slightly above 0 at z = 0, which is outside the range of ExpNegative.
  const V power = hn::Min(hn::Sub(p, hn::Mul(z, z)), hn::Zero(d));
  const V e = ExpNegative(d, power, [](V a, V b, V c) HWY_ATTR { return hn::Add(hn::Mul(a, b), c); });
  const V tail = hn::Mul(hn::Mul(x, hn::Set(d, 0.5f)), hn::Mul(t, e));  // x Phi(-|x|)
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(x, tail));
}

// (1 - e) / (1 + e) with e = exp(-2 |x|), and the sign of x.
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  const V one = hn::Set(d, 1.0f), twice = hn::Mul(hn::Abs(x), hn::Set(d, -2.0f));
  const V e = ExpNegative(d, twice, [](V a, V b, V c) HWY_ATTR { return hn::Add(hn::Mul(a, b), c); });
  return hn::CopySign(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
}

template <class D, class Function>
HWY_INLINE void MapInPlace(D d, float* x, size_t size, const Function& function) {
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) hn::StoreU(function(hn::LoadU(d, x + i)), d, x + i);
  if (i < size) hn::StoreN(function(hn::LoadN(d, x + i, size - i)), d, x + i, size - i);
}

inline HWY_NOINLINE void ActivateRun(Activation activation, float* x, size_t size) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  if (activation == Activation::kRelu) MapInPlace(d, x, size, [d](V v) HWY_ATTR { return Relu(d, v); });
  const float steepness = activation == Activation::kSilu ? 1 : kGeluSteepness;
  if (activation == Activation::kSilu || activation == Activation::kGeluSigmoid) {
    MapInPlace(d, x, size, [d, steepness](V v) HWY_ATTR { return Silu(d, v, steepness); });
  }
  if (activation == Activation::kGelu) MapInPlace(d, x, size, [d](V v) HWY_ATTR { return Gelu(d, v); });
  if (activation == Activation::kGeluTanh) MapInPlace(d, x, size, [d](V v) HWY_ATTR { return GeluTanh(d, v); });
  if (activation == Activation::kTanh) MapInPlace(d, x, size, [d](V v) HWY_ATTR { return Tanh(d, v); });
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
