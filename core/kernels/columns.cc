#include "core/kernels/columns.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/columns.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"

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

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(AddRun);
HWY_EXPORT(ReluRun);

namespace {

constexpr size_t kWorthThreads = 1 << 15, kGrain = 1 << 10;

template <class Run>
void Split(size_t size, ThreadPool& pool, const Run& run) {
  if (size < kWorthThreads) return run(0, size);
  pool.For(size, kGrain, run);
}

double Slope(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone:
      return 1;
    case Activation::kRelu:
      return x > 0 ? 1 : 0;
    case Activation::kSilu: {
      const double s = 1 / (1 + std::exp(-x));
      return s * (1 + x * (1 - s));
    }
    case Activation::kGelu:
      return std::erfc(-x / std::sqrt(2.0)) / 2 + x * std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
    case Activation::kGeluTanh: {
      const double c = std::sqrt(2 / 3.14159265358979323846), u = c * (x + 0.044715 * x * x * x), t = std::tanh(u);
      return (1 + t) / 2 + x / 2 * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
    }
    case Activation::kTanh: {
      const double t = std::tanh(x);
      return 1 - t * t;
    }
  }
  return 0;
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

// Not vectorised: the models that qkv trains have ReLU, and where they don't this is one of some thousand operations
// that an element takes.
void ActivationBackward(Activation activation, const float* x, float* gradient, size_t size, ThreadPool& pool) {
  Split(size, pool, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) gradient[i] *= static_cast<float>(Slope(activation, x[i]));
  });
}

void AddColumnSums(ConstMatrixView x, float* sum, Arena& arena, ThreadPool& pool) {
  // Parts of the rows are summed apart: enough of them for every thread, and no sum becomes long.
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
