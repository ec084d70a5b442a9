// Softmax of one row, for softmax.h and for attention.
#if defined(QKV_KERNELS_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QKV_KERNELS_SOFTMAX_INL_H_
#undef QKV_KERNELS_SOFTMAX_INL_H_
#else
#define QKV_KERNELS_SOFTMAX_INL_H_
#endif

#include <cmath>
#include <limits>

#include "core/kernels/lanes-inl.h"
#include "core/kernels/targets.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// max x, or NaN where there is one (hn::Max would lose it); -inf for an empty row.
inline HWY_NOINLINE float RowMax(const float* row, size_t size) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto max = lowest;
  auto nan = hn::IsNaN(lowest);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto x = hn::LoadU(d, row + i);
    nan = hn::Or(nan, hn::IsNaN(x));
    max = hn::Max(x, max);
  }
  if (i < size) {
    const auto x = hn::LoadNOr(lowest, d, row + i, size - i);
    nan = hn::Or(nan, hn::IsNaN(x));
    max = hn::Max(x, max);
  }
  return hn::AllFalse(d, nan) ? hn::ReduceMax(d, max) : std::numeric_limits<float>::quiet_NaN();
}

// exp(x) for x <= 0; 0 below -87.3, where the result would not be a normal float; NaN stays. The relative error is two
// units in the last place plus |x| / 2 of them, which is also the error that rounding x itself causes. Highway's Exp
// covers every x and takes 1.5 times as long; attention spends most of its time here besides its products.
// 2^(n + f) = 2^n p(f), |f| <= 1/2; p is a minimax fit with relative error 2e-9, exact at 0.
template <class D, class V, class MulAdd>
HWY_INLINE V ExpNegative(D d, V x, const MulAdd& mul_add) {
  const hn::RebindToSigned<D> di;
  // Adding 1.5 2^23 rounds to an integer and puts it into the lowest bits; 127 is the exponent's bias.
  const V magic = hn::Set(d, 12582912.0f + 127.0f);
  const V t = hn::Mul(x, hn::Set(d, 1.44269504f));
  const V shifted = hn::Add(t, magic);
  const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted)));
  const V f = hn::Sub(t, hn::Sub(shifted, magic));
  V p = mul_add(hn::Set(d, 1.5353362e-4f), f, hn::Set(d, 1.3398875e-3f));
  p = mul_add(p, f, hn::Set(d, 9.618437e-3f));
  p = mul_add(p, f, hn::Set(d, 5.5503324e-2f));
  p = mul_add(p, f, hn::Set(d, 2.4022648e-1f));
  p = mul_add(p, f, hn::Set(d, 6.931472e-1f));
  p = mul_add(p, f, hn::Set(d, 1.0f));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.3f)), hn::Mul(p, power));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpNegative(D d, V x) {
  return ExpNegative(d, x, [](V a, V b, V c) HWY_ATTR { return RelaxedMulAdd(a, b, c); });
}
template <class Lanes>
HWY_INLINE typename Lanes::V ExpNegativeOf(typename Lanes::V x) {
  using D = typename Lanes::D;
  using V = hn::Vec<D>;
  return Lanes::Map(x, [](D d, V v) HWY_ATTR {
    return ExpNegative(d, v, [](V a, V b, V c) HWY_ATTR { return Lanes::MulAddOf(a, b, c); });
  });
}

// sum exp(x - max); with kStore the terms are written to `row`. Lanes are summed in short blocks first. The rounding
// error then grows with the block's length plus the number of blocks, not with their product.
template <class Lanes, bool kStore, class Row>
HWY_NOINLINE float RowExpSum(Row* row, size_t size, float max) {
  constexpr size_t kBlock = 64;  // vectors
  constexpr size_t lanes = Lanes::kLanes;
  const auto shift = Lanes::Set(max);
  auto total = Lanes::Set(0);
  size_t i = 0;
  // Whole vectors, block by block.
  while (i + lanes <= size) {
    auto sum = Lanes::Set(0);
    for (const size_t end = HWY_MIN(size, i + kBlock * lanes); i + lanes <= end; i += lanes) {
      const auto e = ExpNegativeOf<Lanes>(Lanes::Sub(Lanes::Load(row + i), shift));
      if constexpr (kStore) Lanes::Store(e, row + i);
      sum = Lanes::Add(sum, e);
    }
    total = Lanes::Add(total, sum);
  }
  // The rest, filled up with -inf, which adds exp(-inf) = 0.
  if (i < size) {
    const auto last = Lanes::LoadN(row + i, size - i, -std::numeric_limits<float>::infinity());
    const auto e = ExpNegativeOf<Lanes>(Lanes::Sub(last, shift));
    if constexpr (kStore) Lanes::StoreN(e, row + i, size - i);
    total = Lanes::Add(total, e);
  }
  return Lanes::Sum(total);
}

// Multiplies by the inverse: a division for each element takes several times as long and gains half a unit in the last
// place.
inline HWY_NOINLINE void RowScale(float* row, size_t size, float factor) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto f = hn::Set(d, factor);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, row + i), f), d, row + i);
  if (i < size) hn::StoreN(hn::Mul(hn::LoadN(d, row + i, size - i), f), d, row + i, size - i);
}

inline void RowFill(float* row, size_t size, float value) {
  for (size_t i = 0; i < size; ++i) row[i] = value;
}

inline HWY_NOINLINE void SoftmaxRow(float* row, size_t size) {
  const float max = RowMax(row, size);
  if (max == -std::numeric_limits<float>::infinity()) return RowFill(row, size, 0);
  // With +inf or NaN the sum is NaN, and so is every term except masked ones, which stay 0.
  if (!std::isfinite(max)) {
    for (size_t i = 0; i < size; ++i) {
      const bool masked = row[i] == -std::numeric_limits<float>::infinity();
      row[i] = masked ? 0 : std::numeric_limits<float>::quiet_NaN();
    }
    return;
  }
  RowScale(row, size, 1 / RowExpSum<Steady, true>(row, size, max));
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
