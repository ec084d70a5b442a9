#include "core/kernels/adam.h"

#include <algorithm>
#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/adam.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void AdamRun(const AdamStep& step, const float* gradient, float* m, float* v, float* weight, size_t size) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const float rate = static_cast<float>(step.rate / step.unbias1);
  const float unbias2 = static_cast<float>(1 / std::sqrt(step.unbias2));
  const float keep = 1 - step.rate * step.decay;
  const auto update = [&](auto t, size_t i) HWY_ATTR {
    const auto g = hn::Mul(hn::LoadU(t, gradient + i), hn::Set(t, step.scale));
    const auto m1 = hn::MulAdd(hn::Set(t, 1 - step.beta1), g, hn::Mul(hn::Set(t, step.beta1), hn::LoadU(t, m + i)));
    const auto v1 =
        hn::MulAdd(hn::Mul(hn::Set(t, 1 - step.beta2), g), g, hn::Mul(hn::Set(t, step.beta2), hn::LoadU(t, v + i)));
    const auto size_of = hn::MulAdd(hn::Sqrt(v1), hn::Set(t, unbias2), hn::Set(t, step.epsilon));
    const auto w = hn::Mul(hn::LoadU(t, weight + i), hn::Set(t, keep));
    hn::StoreU(m1, t, m + i);
    hn::StoreU(v1, t, v + i);
    hn::StoreU(hn::NegMulAdd(hn::Set(t, rate), hn::Div(m1, size_of), w), t, weight + i);
  };
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) update(d, i);
  for (; i < size; ++i) update(hn::CappedTag<float, 1>(), i);
}

double SquaresRun(const float* x, size_t size) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    const auto u = hn::LoadU(d, x + i), v = hn::LoadU(d, x + i + lanes);
    a = hn::MulAdd(u, u, a);
    b = hn::MulAdd(v, v, b);
  }
  double sum = hn::ReduceSum(d, hn::Add(a, b));
  for (; i < size; ++i) sum += static_cast<double>(x[i]) * x[i];
  return sum;
}

void ApproachRun(const float* x, float share, float* average, size_t size) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto of = hn::Set(d, share);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto a = hn::LoadU(d, average + i);
    hn::StoreU(hn::MulAdd(of, hn::Sub(hn::LoadU(d, x + i), a), a), d, average + i);
  }
  for (; i < size; ++i) average[i] += share * (x[i] - average[i]);
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(AdamRun);
HWY_EXPORT(SquaresRun);
HWY_EXPORT(ApproachRun);

namespace {

constexpr size_t kPart = 1 << 12;

template <class Run>
void Split(size_t size, ThreadPool& pool, const Run& run) {
  if (size < 4 * kPart) return run(0, size);
  pool.For(size, kPart, run);
}

}  // namespace

void UpdateAdam(const AdamStep& step, const float* gradient, float* m, float* v, float* weight, size_t size,
                ThreadPool& pool) {
  const auto run = HWY_DYNAMIC_POINTER(AdamRun);
  Split(size, pool, [&](size_t begin, size_t end) {
    run(step, gradient + begin, m + begin, v + begin, weight + begin, end - begin);
  });
}

double SumOfSquares(const float* x, size_t size, ThreadPool& pool) {
  const auto run = HWY_DYNAMIC_POINTER(SquaresRun);
  std::vector<double> parts((size + kPart - 1) / kPart);
  pool.For(parts.size(), 4, [&](size_t begin, size_t end) {
    for (size_t part = begin; part < end; ++part) {
      parts[part] = run(x + part * kPart, std::min(kPart, size - part * kPart));
    }
  });
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

void Approach(const float* x, float share, float* average, size_t size, ThreadPool& pool) {
  const auto run = HWY_DYNAMIC_POINTER(ApproachRun);
  Split(size, pool, [&](size_t begin, size_t end) { run(x + begin, share, average + begin, end - begin); });
}

}  // namespace qkv
#endif  // HWY_ONCE
