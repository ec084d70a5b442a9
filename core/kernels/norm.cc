#include "core/kernels/norm.h"

#include <cassert>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/norm.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

constexpr size_t kLanes = Steady::kLanes;

// y = x, or x + residual if not null; returns the sum of y.
HWY_INLINE float CopySum(const float* x, const float* residual, size_t size, float* y) {
  auto sum = Steady::Set(0);
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    auto v = Steady::Load(x + i);
    if (residual != nullptr) v = Steady::Add(v, Steady::Load(residual + i));
    Steady::Store(v, y + i);
    sum = Steady::Add(sum, v);
  }
  float rest = 0;
  for (; i < size; ++i) {
    y[i] = residual != nullptr ? x[i] + residual[i] : x[i];
    rest += y[i];
  }
  return Steady::Sum(sum) + rest;
}

// sum (y - mean) and sum (y - mean)^2
HWY_INLINE void Moments(const float* y, size_t size, float mean, float& first, float& second) {
  const auto m = Steady::Set(mean);
  auto s1 = Steady::Set(0), s2 = Steady::Set(0);
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const auto v = Steady::Sub(Steady::Load(y + i), m);
    s1 = Steady::Add(s1, v);
    s2 = Steady::MulAdd(v, v, s2);
  }
  first = 0, second = 0;
  for (; i < size; ++i) {
    const float v = y[i] - mean;
    first += v;
    second += v * v;
  }
  first += Steady::Sum(s1);
  second += Steady::Sum(s2);
}

// Two passes with a correction: a float sum gives the mean with a rounding error, which sum (y - mean) measures (Chan,
// Golub and LeVeque 1983). Without it a row with a mean far from 0 would be shifted.
void NormRows(const float* x, const float* residual, const float* gain, const float* bias, float epsilon, size_t rows,
              size_t size, float* y) {
  const float n = static_cast<float>(size);
  for (size_t r = 0; r < rows; ++r, x += size, y += size) {
    const float mean = CopySum(x, residual, size, y) / n;
    if (residual != nullptr) residual += size;
    float first, second;
    Moments(y, size, mean, first, second);
    const float shift = first / n;
    const float variance = std::fmax(second / n - shift * shift, 0.0f);
    const float inverse = 1 / std::sqrt(variance + epsilon);
    const auto m = Steady::Set(mean), s = Steady::Set(shift), q = Steady::Set(inverse);
    size_t i = 0;
    for (; i + kLanes <= size; i += kLanes) {
      const auto v = Steady::Mul(Steady::Sub(Steady::Sub(Steady::Load(y + i), m), s), q);
      Steady::Store(Steady::MulAdd(v, Steady::Load(gain + i), Steady::Load(bias + i)), y + i);
    }
    for (; i < size; ++i) y[i] = (y[i] - mean - shift) * inverse * gain[i] + bias[i];
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(NormRows);

void LayerNorm(ConstMatrixView x, const float* gain, const float* bias, float epsilon, MatrixView y) {
  assert(x.rows() == y.rows() && x.cols() == y.cols());
  HWY_DYNAMIC_DISPATCH(NormRows)
  (x.data(), nullptr, gain, bias, epsilon, static_cast<size_t>(x.rows()), static_cast<size_t>(x.cols()), y.data());
}

void AddLayerNorm(ConstMatrixView x, ConstMatrixView residual, const float* gain, const float* bias, float epsilon,
                  MatrixView y) {
  assert(x.rows() == y.rows() && x.cols() == y.cols());
  assert(x.rows() == residual.rows() && x.cols() == residual.cols());
  HWY_DYNAMIC_DISPATCH(NormRows)
  (x.data(), residual.data(), gain, bias, epsilon, static_cast<size_t>(x.rows()), static_cast<size_t>(x.cols()),
   y.data());
}

void LayerNormNaive(ConstMatrixView x, const float* gain, const float* bias, float epsilon, MatrixView y) {
  const float n = static_cast<float>(x.cols());
  for (Eigen::Index r = 0; r < x.rows(); ++r) {
    float mean = 0, variance = 0;
    for (Eigen::Index i = 0; i < x.cols(); ++i) mean += x(r, i) / n;
    for (Eigen::Index i = 0; i < x.cols(); ++i) variance += (x(r, i) - mean) * (x(r, i) - mean) / n;
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      y(r, i) = (x(r, i) - mean) / std::sqrt(variance + epsilon) * gain[i] + bias[i];
    }
  }
}

void AddLayerNormNaive(ConstMatrixView x, ConstMatrixView residual, const float* gain, const float* bias, float epsilon,
                       MatrixView y) {
  const Matrix sum = x + residual;
  LayerNormNaive(View(sum), gain, bias, epsilon, y);
}

}  // namespace qkv
#endif  // HWY_ONCE
