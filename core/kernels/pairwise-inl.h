// tanh for the forward and the backward of pairwise scores.
#if defined(QKV_KERNELS_PAIRWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QKV_KERNELS_PAIRWISE_INL_H_
#undef QKV_KERNELS_PAIRWISE_INL_H_
#else
#define QKV_KERNELS_PAIRWISE_INL_H_
#endif

#include "core/kernels/packed.h"
#include "core/kernels/softmax-inl.h"
#include "core/kernels/targets.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

using PairTag = hn::CappedTag<float, kPanel>;
using PairVector = hn::Vec<PairTag>;
constexpr size_t kPairLanes = hn::MaxLanes(PairTag());
constexpr size_t kPairVectors = kPanel / kPairLanes;

// tanh x = sign(x) (1 - e) / (1 + e), e = exp(-2 |x|); below 1/4 a series, since there 1 - e cancels. NaN stays.
// `slope`, if not null: 1 - tanh^2 x = 4 e / (1 + e)^2, which does not cancel. Nothing is fused, so every target gives
// the same bits.
HWY_INLINE PairVector Tanh(PairTag d, PairVector x, PairVector* slope = nullptr) {
  const PairVector one = hn::Set(d, 1.0f);
  const PairVector size = hn::Abs(x);
  const auto mul_add = [](PairVector a, PairVector b, PairVector c) HWY_ATTR { return hn::Add(hn::Mul(a, b), c); };
  const PairVector e = ExpNegative(d, hn::Mul(size, hn::Set(d, -2.0f)), mul_add);
  const PairVector large = hn::Div(hn::Sub(one, e), hn::Add(one, e));
  if (slope != nullptr) {
    const PairVector root = hn::Div(hn::Set(d, 2.0f), hn::Add(one, e));
    *slope = hn::Mul(hn::Mul(root, root), e);
  }
  const PairVector x2 = hn::Mul(x, x);
  PairVector p = mul_add(x2, hn::Set(d, -1382.0f / 155925), hn::Set(d, 62.0f / 2835));
  p = mul_add(p, x2, hn::Set(d, -17.0f / 315));
  p = mul_add(p, x2, hn::Set(d, 2.0f / 15));
  p = mul_add(p, x2, hn::Set(d, -1.0f / 3));
  const PairVector small = mul_add(hn::Mul(p, x2), size, size);
  return hn::CopySignToAbs(hn::IfThenElse(hn::Lt(size, hn::Set(d, 0.25f)), small, large), x);
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
