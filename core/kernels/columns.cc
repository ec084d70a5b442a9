#include "core/kernels/columns.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/columns.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void AddRun(const float* from, float* to, size_t size) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
  for (; i < size; ++i) to[i] += from[i];
}

void ReluRun(const float* y, float* gradient, size_t size) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto zero = hn::Le(hn::LoadU(d, y + i), hn::Zero(d));
    hn::StoreU(hn::IfThenZeroElse(zero, hn::LoadU(d, gradient + i)), d, gradient + i);
  }
  for (; i < size; ++i) gradient[i] = y[i] <= 0 ? 0 : gradient[i];
}

// sigmoid(v) and its slope sigmoid(v) (1 - sigmoid(v)), which does not cancel: with e = exp(-|v|), 1 / (1 + e) or
// e / (1 + e), and e / (1 + e)^2.
template <class D, class V>
struct SigmoidOf {
  SigmoidOf(D d, V v) {
    const V e = ExpNegative(d, hn::Neg(hn::Abs(v))), one = hn::Set(d, 1.0f);
    const V share = hn::Div(one, hn::Add(one, e));
    value = hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Mul(e, share), share);
    slope = hn::Mul(hn::Mul(e, share), share);
  }
  V value, slope;
};

// (x sigmoid(k x))'
template <class D, class V>
HWY_INLINE V SiluSlope(D d, V x, float k) {
  const V steep = hn::Mul(x, hn::Set(d, k));
  const SigmoidOf<D, V> s(d, steep);
  return hn::MulAdd(steep, s.slope, s.value);
}

// (x sigmoid(v))' with v = 2 sqrt(2 / pi) (x + 0.044715 x^3)
template <class D, class V>
HWY_INLINE V GeluTanhSlope(D d, V x) {
  const V x2 = hn::Mul(x, x), one = hn::Set(d, 1.0f), twice = hn::Set(d, 1.5957691216f);
  const SigmoidOf<D, V> s(d, hn::Mul(hn::Mul(x, twice), hn::MulAdd(x2, hn::Set(d, 0.044715f), one)));
  const V inner = hn::Mul(twice, hn::MulAdd(x2, hn::Set(d, 3 * 0.044715f), one));
  return hn::MulAdd(hn::Mul(x, s.slope), inner, s.value);
}

// Phi(x) + x phi(x). Phi is x Phi(x) / x, except where x is close to 0.
template <class D, class V>
HWY_INLINE V GeluSlope(D d, V x) {
  const V half = hn::Set(d, 0.5f), small = hn::Set(d, 1e-3f), density = hn::Set(d, 0.39894228f);
  const V near = hn::MulAdd(x, density, half);
  const V phi = hn::IfThenElse(hn::Lt(hn::Abs(x), small), near, hn::Div(Gelu(d, x), x));
  const V e = ExpNegative(d, hn::Neg(hn::Mul(hn::Mul(x, x), half)));
  return hn::MulAdd(hn::Mul(x, e), density, phi);
}

// 1 - tanh^2 x = 4 e / (1 + e)^2 with e = exp(-2 |x|)
template <class D, class V>
HWY_INLINE V TanhSlope(D d, V x) {
  return hn::Mul(SigmoidOf<D, V>(d, hn::Add(x, x)).slope, hn::Set(d, 4.0f));
}

template <class Slope>
HWY_INLINE void MultiplyBy(const float* x, float* gradient, size_t size, const Slope& slope) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < size; i += lanes) {
    const size_t count = HWY_MIN(lanes, size - i);
    const auto g = hn::LoadN(d, gradient + i, count);
    hn::StoreN(hn::Mul(g, slope(d, hn::LoadN(d, x + i, count))), d, gradient + i, count);
  }
}

void SlopeRun(Activation activation, const float* x, float* gradient, size_t size) {
  switch (activation) {
    case Activation::kNone:
      return;
    case Activation::kRelu:
      return ReluRun(x, gradient, size);
    case Activation::kSilu:
      return MultiplyBy(x, gradient, size, [](auto d, auto v) HWY_ATTR { return SiluSlope(d, v, 1); });
    case Activation::kGeluSigmoid:
      return MultiplyBy(x, gradient, size, [](auto d, auto v) HWY_ATTR { return SiluSlope(d, v, kGeluSteepness); });
    case Activation::kGelu:
      return MultiplyBy(x, gradient, size, [](auto d, auto v) HWY_ATTR { return GeluSlope(d, v); });
    case Activation::kGeluTanh:
      return MultiplyBy(x, gradient, size, [](auto d, auto v) HWY_ATTR { return GeluTanhSlope(d, v); });
    case Activation::kTanh:
      return MultiplyBy(x, gradient, size, [](auto d, auto v) HWY_ATTR { return TanhSlope(d, v); });
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(AddRun);
HWY_EXPORT(ReluRun);
HWY_EXPORT(SlopeRun);

namespace {

constexpr size_t kWorthThreads = 1 << 15, kGrain = 1 << 10;

template <class Run>
void Split(size_t size, ThreadPool& pool, const Run& run) {
  if (size < kWorthThreads) return run(0, size);
  pool.For(size, kGrain, run);
}

}  // namespace

void AddTo(const float* from, float* to, size_t size, ThreadPool& pool) {
  const auto add = HWY_DYNAMIC_POINTER(AddRun);
  Split(size, pool, [&](size_t begin, size_t end) { add(from + begin, to + begin, end - begin); });
}

void ReluBackward(const float* y, float* gradient, size_t size, ThreadPool& pool) {
  const auto mask = HWY_DYNAMIC_POINTER(ReluRun);
  Split(size, pool, [&](size_t begin, size_t end) { mask(y + begin, gradient + begin, end - begin); });
}

void ActivationBackward(Activation activation, const float* x, float* gradient, size_t size, ThreadPool& pool) {
  const auto multiply = HWY_DYNAMIC_POINTER(SlopeRun);
  Split(size, pool, [&](size_t begin, size_t end) { multiply(activation, x + begin, gradient + begin, end - begin); });
}

void AddColumnSums(ConstMatrixView x, float* sum, Arena& arena, ThreadPool& pool) {
  // The rows are summed in parts: enough parts for every thread, and no long sums.
  constexpr size_t kRows = 128;
  const size_t rows = static_cast<size_t>(x.rows()), size = static_cast<size_t>(x.cols());
  const size_t parts = (rows + kRows - 1) / kRows;
  const ArenaScope scope(arena);
  float* sums = arena.Floats(parts * size);
  const auto add = HWY_DYNAMIC_POINTER(AddRun);
  const auto run = [&](size_t begin, size_t end) {
    for (size_t part = begin; part < end; ++part) {
      float* to = sums + part * size;
      std::fill_n(to, size, 0.0f);
      for (size_t r = part * kRows; r < std::min(rows, (part + 1) * kRows); ++r) add(x.data() + r * size, to, size);
    }
  };
  if (rows * size < kWorthThreads) {
    run(0, parts);
  } else {
    pool.For(parts, 1, run);
  }
  for (size_t part = 0; part < parts; ++part) add(sums + part * size, sum, size);
}

}  // namespace qkv
#endif  // HWY_ONCE
