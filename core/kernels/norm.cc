#include "core/kernels/norm.h"

#include <cassert>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/norm.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// y = x, or x + residual where there is one; returns the sum of y.
HWY_INLINE float CopySum(const float* x, const float* residual, size_t size, float* y) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    auto v = hn::LoadU(d, x + i);
    if (residual != nullptr) v = hn::Add(v, hn::LoadU(d, residual + i));
    hn::StoreU(v, d, y + i);
    sum = hn::Add(sum, v);
  }
  float rest = 0;
  for (; i < size; ++i) {
    y[i] = residual != nullptr ? x[i] + residual[i] : x[i];
    rest += y[i];
  }
  return hn::ReduceSum(d, sum) + rest;
}

// sum (y - mean) and sum (y - mean)^2
HWY_INLINE void Moments(const float* y, size_t size, float mean, float& first, float& second) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto m = hn::Set(d, mean);
  auto s1 = hn::Zero(d), s2 = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto v = hn::Sub(hn::LoadU(d, y + i), m);
    s1 = hn::Add(s1, v);
    s2 = hn::MulAdd(v, v, s2);
  }
  first = 0, second = 0;
  for (; i < size; ++i) {
    const float v = y[i] - mean;
    first += v;
    second += v * v;
  }
  first += hn::ReduceSum(d, s1);
  second += hn::ReduceSum(d, s2);
}

// Two passes, corrected: the mean that a float sum gives is off by its rounding, which sum (y - mean) measures
// (Chan, Golub and LeVeque 1983). Without it a row whose mean is far from 0 would come out shifted.
void NormRows(const float* x, const float* residual, const float* gain, const float* bias, float epsilon, size_t rows,
              size_t size, float* y) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const float n = static_cast<float>(size);
  for (size_t r = 0; r < rows; ++r, x += size, y += size) {
    const float mean = CopySum(x, residual, size, y) / n;
    if (residual != nullptr) residual += size;
    float first, second;
    Moments(y, size, mean, first, second);
    const float shift = first / n;
    const float variance = std::fmax(second / n - shift * shift, 0.0f);
    const float inverse = 1 / std::sqrt(variance + epsilon);
    const auto m = hn::Set(d, mean), s = hn::Set(d, shift), q = hn::Set(d, inverse);
    size_t i = 0;
    for (; i + lanes <= size; i += lanes) {
      const auto v = hn::Mul(hn::Sub(hn::Sub(hn::LoadU(d, y + i), m), s), q);
      hn::StoreU(hn::MulAdd(v, hn::LoadU(d, gain + i), hn::LoadU(d, bias + i)), d, y + i);
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
