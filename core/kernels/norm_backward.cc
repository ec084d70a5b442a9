#include "core/kernels/norm_backward.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/norm_backward.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Four small loops. Each reads the row again, from the first-level cache.
void NormBackwardRows(const float* x, const float* residual, const float* gain, float epsilon, const float* d_y,
                      size_t rows, size_t size, float* normal, float* d_z, float* d_gain, float* d_bias) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d), whole = size / lanes * lanes;
  const float n = static_cast<float>(size);
  for (size_t r = 0; r < rows; ++r, x += size, d_y += size, d_z += size) {
    auto sum = hn::Zero(d);
    float rest = 0;
    for (size_t i = 0; i < whole; i += lanes) {
      auto z = hn::LoadU(d, x + i);
      if (residual != nullptr) z = hn::Add(z, hn::LoadU(d, residual + i));
      hn::StoreU(z, d, normal + i);
      sum = hn::Add(sum, z);
    }
    for (size_t i = whole; i < size; ++i) rest += normal[i] = residual != nullptr ? x[i] + residual[i] : x[i];
    if (residual != nullptr) residual += size;
    const float mean = (hn::ReduceSum(d, sum) + rest) / n;

    auto first = hn::Zero(d), second = hn::Zero(d);
    float rest_first = 0, rest_second = 0;
    for (size_t i = 0; i < whole; i += lanes) {
      const auto v = hn::Sub(hn::LoadU(d, normal + i), hn::Set(d, mean));
      first = hn::Add(first, v);
      second = hn::MulAdd(v, v, second);
    }
    for (size_t i = whole; i < size; ++i) {
      const float v = normal[i] - mean;
      rest_first += v;
      rest_second += v * v;
    }
    const float shift = (hn::ReduceSum(d, first) + rest_first) / n;  // for the reason in core/kernels/norm.cc
    const float variance = std::fmax((hn::ReduceSum(d, second) + rest_second) / n - shift * shift, 0.0f);
    const float inverse = 1 / std::sqrt(variance + epsilon), centre = mean + shift;

    auto g_sum = hn::Zero(d), gn_sum = hn::Zero(d);
    float rest_g = 0, rest_gn = 0;
    for (size_t i = 0; i < whole; i += lanes) {
      const auto v = hn::Mul(hn::Sub(hn::LoadU(d, normal + i), hn::Set(d, centre)), hn::Set(d, inverse));
      const auto dy = hn::LoadU(d, d_y + i), g = hn::Mul(dy, hn::LoadU(d, gain + i));
      hn::StoreU(v, d, normal + i);
      g_sum = hn::Add(g_sum, g);
      gn_sum = hn::MulAdd(g, v, gn_sum);
      hn::StoreU(hn::MulAdd(dy, v, hn::LoadU(d, d_gain + i)), d, d_gain + i);
      hn::StoreU(hn::Add(dy, hn::LoadU(d, d_bias + i)), d, d_bias + i);
    }
    for (size_t i = whole; i < size; ++i) {
      normal[i] = (normal[i] - centre) * inverse;
      const float g = d_y[i] * gain[i];
      rest_g += g;
      rest_gn += g * normal[i];
      d_gain[i] += d_y[i] * normal[i];
      d_bias[i] += d_y[i];
    }
    const float g_mean = (hn::ReduceSum(d, g_sum) + rest_g) / n, gn_mean = (hn::ReduceSum(d, gn_sum) + rest_gn) / n;

    for (size_t i = 0; i < whole; i += lanes) {
      const auto g = hn::Mul(hn::LoadU(d, d_y + i), hn::LoadU(d, gain + i));
      const auto v = hn::NegMulAdd(hn::LoadU(d, normal + i), hn::Set(d, gn_mean), hn::Sub(g, hn::Set(d, g_mean)));
      hn::StoreU(hn::Mul(v, hn::Set(d, inverse)), d, d_z + i);
    }
    for (size_t i = whole; i < size; ++i) d_z[i] = (d_y[i] * gain[i] - g_mean - normal[i] * gn_mean) * inverse;
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(NormBackwardRows);

void LayerNormBackward(ConstMatrixView x, const float* residual, const float* gain, float epsilon, ConstMatrixView d_y,
                       float* d_z, float* d_gain, float* d_bias, Arena& arena, ThreadPool& pool) {
  // Sums over rows are computed in parts, and the parts do not depend on the number of threads.
  constexpr size_t kRows = 128;
  const size_t rows = static_cast<size_t>(x.rows()), size = static_cast<size_t>(x.cols());
  const size_t parts = (rows + kRows - 1) / kRows;
  const ArenaScope scope(arena);
  float* scratch = arena.Floats(parts * 3 * size);  // for each part: gain, bias, one normalised row
  const auto run = HWY_DYNAMIC_POINTER(NormBackwardRows);
  pool.For(parts, 1, [&](size_t begin, size_t end) {
    for (size_t part = begin; part < end; ++part) {
      float* sums = scratch + part * 3 * size;
      std::fill_n(sums, 2 * size, 0.0f);
      const size_t first = part * kRows, count = std::min(kRows, rows - first), at = first * size;
      run(x.data() + at, residual != nullptr ? residual + at : nullptr, gain, epsilon, d_y.data() + at, count, size,
          sums + 2 * size, d_z + at, sums, sums + size);
    }
  });
  for (size_t part = 0; part < parts; ++part) {
    const float* sums = scratch + part * 3 * size;
    for (size_t i = 0; i < size; ++i) {
      d_gain[i] += sums[i];
      d_bias[i] += sums[size + i];
    }
  }
}

}  // namespace qkv
#endif  // HWY_ONCE
