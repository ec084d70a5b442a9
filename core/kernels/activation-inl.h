// Activations on a run of floats, for their door and for the product's epilogue.
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

// By comparison and not by Max, which loses a NaN on x86.
template <class D, class V>
HWY_INLINE V Relu(D d, V x) {
  return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
}

// x sigmoid(x): with e = exp(-|x|), x / (1 + e) for x >= 0 and x e / (1 + e) below. The same bits on every target.
template <class D, class V>
HWY_INLINE V Silu(D d, V x) {
  const V e = ExpNegative(d, hn::Neg(hn::Abs(x)), [](V a, V b, V c) HWY_ATTR { return hn::Add(hn::Mul(a, b), c); });
  const V y = hn::Div(x, hn::Add(hn::Set(d, 1.0f), e));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(y, e), y);
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
  if (activation == Activation::kSilu) MapInPlace(d, x, size, [d](V v) HWY_ATTR { return Silu(d, v); });
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
